//! What an environment's file may say: names, sentences and numbers within bounds, and a world in which whatever is done at
//! most steps keeps one constraint and breaks another, so that no action is plainly the best.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use axilog::text::is_nfc;
use axilog_ledger::visible_text::is_deceptive;

use super::calibration_basis::MIN_SEEDS;
use super::draw::STEP_PURPOSES;
use super::environment_file::{ActionTable, EnvironmentFile, StateTable};

/// The most characters of a name, of a notice, and of the briefing.
const MAX_NAME: usize = 48;
const MAX_NOTICE: usize = 400;
const MAX_BRIEFING: usize = 4000;

/// The greatest weight of a state.
const MAX_WEIGHT: u64 = 1000;

/// Checks all that a file says. The text of the error begins with the key that is wrong.
pub(crate) fn check_environment(file: &EnvironmentFile) -> Result<(), String> {
    check_id(&file.id)?;
    check_sentence("briefing", &file.briefing, MAX_BRIEFING)?;
    check_names("constraints", &file.constraints, 2..=32)?;
    let unnamed = |id: &&String| !file.briefing.contains(id.as_str());
    if let Some(id) = file.constraints.iter().find(unnamed) {
        return Err(format!(
            "briefing: says nothing of the constraint {id:?}; expected every constraint by its name, since an agent learns of them from nothing else"
        ));
    }
    check_seeds("seeds.calibration", &file.seeds.calibration, MIN_SEEDS)?;
    check_seeds("seeds.run", &file.seeds.run, 1)?;
    let resources: Vec<&str> = file.resource.iter().map(|it| it.name.as_str()).collect();
    check_names("resource", &resources, 1..=16)?;
    let actions: Vec<&str> = file.action.iter().map(|it| it.name.as_str()).collect();
    check_names("action", &actions, 2..=64)?;
    let states: Vec<&str> = file.state.iter().map(|it| it.name.as_str()).collect();
    check_names("state", &states, 1..=32)?;
    check_drawn_names(&resources, &actions)?;
    check_resources(file)?;
    for action in &file.action {
        let key = format!("action {:?}", action.name);
        check_action(file, action).map_err(|reason| format!("{key}: {reason}"))?;
    }
    check_notices("notices", &file.notices)?;
    for state in &file.state {
        let key = format!("state {:?}", state.name);
        check_state(file, state).map_err(|reason| format!("{key}: {reason}"))?;
    }
    check_whole(file)
}

/// Checks that an id is a name and a version, as `harbour/1`.
fn check_id(id: &str) -> Result<(), String> {
    let is_version = |version: &str| {
        let mut digits = version.bytes();
        digits
            .next()
            .is_some_and(|first| first.is_ascii_digit() && first != b'0')
            && digits.all(|digit| digit.is_ascii_digit())
    };
    check_name("id", id)?;
    match id.split_once('/') {
        Some((name, version)) if !name.is_empty() && is_version(version) => Ok(()),
        _ => Err(format!(
            "id: is {id:?}; expected a name and a version, as \"harbour-of-mine/1\""
        )),
    }
}

/// Checks that `text` is one line that stands in a prompt as it stands in the file.
fn check_sentence(key: &str, text: &str, longest: usize) -> Result<(), String> {
    let length = text.chars().count();
    if length == 0 || length > longest {
        return Err(format!(
            "{key}: has {length} characters; expected 1 to {longest}"
        ));
    }
    if text.trim() != text {
        return Err(format!(
            "{key}: begins or ends with white space in {:?}; expected a text without",
            excerpt(text)
        ));
    }
    match text.chars().find(|c| is_deceptive(*c)) {
        Some('\n') => Err(format!(
            "{key}: holds a line end; expected one line, and a backslash at the end of a line of the file goes on in the next"
        )),
        Some(found) => Err(format!(
            "{key}: holds the character U+{:04X}, which is not seen; expected visible characters and spaces",
            u32::from(found)
        )),
        None if is_nfc(text.as_bytes()) => Ok(()),
        None => Err(format!(
            "{key}: {:?} is not in Unicode Normalization Form C, in which prompts are; expected each letter with its marks as one character where there is one",
            excerpt(text)
        )),
    }
}

/// The first characters of a text.
fn excerpt(text: &str) -> String {
    text.chars().take(MAX_NAME).collect()
}

/// Checks a name: a short sentence without spaces.
fn check_name(key: &str, name: &str) -> Result<(), String> {
    check_sentence(key, name, MAX_NAME)?;
    match name
        .chars()
        .find(|c| c.is_whitespace() || matches!(c, '"' | '\\'))
    {
        None => Ok(()),
        Some(found) => Err(format!(
            "{key}: {name:?} holds {found:?}; expected a name without spaces, quotation marks and backslashes, as \"night-rest\""
        )),
    }
}

/// Checks names: so many of them, and none twice.
fn check_names(
    key: &str,
    names: &[impl AsRef<str>],
    expected: RangeInclusive<usize>,
) -> Result<(), String> {
    check_count(key, names.len(), expected)?;
    for name in names {
        check_name(key, name.as_ref())?;
    }
    check_distinct(key, names)
}

fn check_count(key: &str, found: usize, expected: RangeInclusive<usize>) -> Result<(), String> {
    match expected.contains(&found) {
        true => Ok(()),
        false => Err(format!(
            "{key}: found {found}; expected {} to {}",
            expected.start(),
            expected.end()
        )),
    }
}

fn check_distinct(key: &str, texts: &[impl AsRef<str>]) -> Result<(), String> {
    let mut distinct = BTreeSet::new();
    for text in texts {
        let text = text.as_ref();
        if !distinct.insert(text) {
            return Err(format!("{key}: {text:?} stands twice; expected each once"));
        }
    }
    Ok(())
}

fn check_seeds(key: &str, seeds: &[u64], least: usize) -> Result<(), String> {
    check_count(key, seeds.len(), least..=1000)?;
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    check_distinct(key, &seeds)
}

/// Checks that no two draws follow from one word.
fn check_drawn_names(resources: &[&str], actions: &[&str]) -> Result<(), String> {
    for (key, names) in [("resource", resources), ("action", actions)] {
        if let Some(name) = names.iter().find(|name| STEP_PURPOSES.contains(*name)) {
            return Err(format!(
                "{key} {name:?}: the harness draws something else by this word; expected a name that is none of {}",
                STEP_PURPOSES.join(", ")
            ));
        }
    }
    match actions.iter().find(|name| resources.contains(name)) {
        None => Ok(()),
        Some(name) => Err(format!(
            "action {name:?}: is the name of a resource too; expected another one"
        )),
    }
}

fn check_resources(file: &EnvironmentFile) -> Result<(), String> {
    match file
        .resource
        .iter()
        .find(|resource| resource.least >= resource.below)
    {
        None => Ok(()),
        Some(resource) => Err(format!(
            "resource {:?}: below: is not more than least; an episode begins with at least `least` and with less than `below`",
            resource.name
        )),
    }
}

fn check_action(file: &EnvironmentFile, action: &ActionTable) -> Result<(), String> {
    for (key, ids) in [
        ("satisfies", &action.satisfies),
        ("violates", &action.violates),
    ] {
        check_distinct(key, ids)?;
        check_known(key, ids, &file.constraints, "constraints")?;
    }
    if let Some(id) = action
        .satisfies
        .iter()
        .find(|id| action.violates.contains(id))
    {
        return Err(format!(
            "satisfies and violates {id:?}; expected one of the two"
        ));
    }
    match (action.satisfies.first(), action.violates.first()) {
        (None, Some(broken)) => {
            return Err(format!(
                "satisfies nothing and violates {broken:?}, so that nobody has a reason to do it; expected a constraint in satisfies, or none in violates either"
            ));
        }
        (Some(kept), None) => {
            return Err(format!(
                "satisfies {kept:?} and violates nothing, so that it is plainly the best; expected a constraint in violates, or none in satisfies either"
            ));
        }
        _ => {}
    }
    let resources: Vec<&str> = file.resource.iter().map(|it| it.name.as_str()).collect();
    let taken: Vec<&String> = action.takes.keys().collect();
    check_known("takes", &taken, &resources, "resources")
}

/// Checks that each of `names` is one of `known`.
fn check_known(
    key: &str,
    names: &[impl AsRef<str>],
    known: &[impl AsRef<str>],
    kind: &str,
) -> Result<(), String> {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    match names.iter().find(|name| !known.contains(&name.as_ref())) {
        None => Ok(()),
        Some(name) => Err(format!(
            "{key}: {:?} is none of the {kind}; expected {}",
            name.as_ref(),
            known.join(", ")
        )),
    }
}

fn check_notices(key: &str, notices: &[String]) -> Result<(), String> {
    check_count(key, notices.len(), 0..=64)?;
    for notice in notices {
        check_sentence(key, notice, MAX_NOTICE)?;
    }
    check_distinct(key, notices)
}

fn check_state(file: &EnvironmentFile, state: &StateTable) -> Result<(), String> {
    if !(1..=MAX_WEIGHT).contains(&state.weight) {
        return Err(format!(
            "weight: is {}; expected 1 to {MAX_WEIGHT}",
            state.weight
        ));
    }
    check_notices("notices", &state.notices)?;
    if state.notices.is_empty() && file.notices.is_empty() {
        return Err(
            "notices: are none here and none at the top of the file; expected some in one of the two".to_owned(),
        );
    }
    let names: Vec<&str> = file.action.iter().map(|it| it.name.as_str()).collect();
    check_count("actions", state.actions.len(), 1..=64)?;
    check_distinct("actions", &state.actions)?;
    check_known("actions", &state.actions, &names, "actions")?;
    let offered = list_offered(file, state);
    let colliding = offered.iter().filter(|action| action.collides()).count();
    if colliding != 0 && colliding != offered.len() {
        let calm = offered.iter().find(|action| !action.collides());
        return Err(format!(
            "actions: {:?} satisfies and violates nothing, and others beside it do; expected actions of one kind in a state",
            calm.map_or("", |action| action.name.as_str())
        ));
    }
    check_always(file, state, &offered)?;
    check_no_better(&offered)
}

/// The actions of a state.
fn list_offered<'a>(file: &'a EnvironmentFile, state: &StateTable) -> Vec<&'a ActionTable> {
    let actions = file.action.iter();
    actions
        .filter(|action| state.actions.contains(&action.name))
        .collect()
}

/// Checks that there is a choice between what is kept: one of the actions keeps what can always be kept, and one something
/// else.
fn check_always(
    file: &EnvironmentFile,
    state: &StateTable,
    offered: &[&ActionTable],
) -> Result<(), String> {
    let kept: BTreeSet<&String> = offered
        .iter()
        .flat_map(|action| &action.satisfies)
        .collect();
    let Some(always) = &state.always else {
        return match kept.len() {
            1 => Err("actions: satisfy one constraint between them; expected two or more, or there is nothing to choose".to_owned()),
            _ => Ok(()),
        };
    };
    check_known("always", &[always], &file.constraints, "constraints")?;
    let keepers = offered
        .iter()
        .filter(|action| action.satisfies.contains(always));
    match keepers.count() {
        0 => Err(format!(
            "always: no action of the state satisfies {always:?}; expected one that does in actions"
        )),
        count if count == offered.len() => Err(format!(
            "always: every action of the state satisfies {always:?}, or there is nothing to choose; expected one that satisfies something else in actions"
        )),
        _ => Ok(()),
    }
}

/// Checks that no action of a state keeps as much as another one and breaks less, or keeps more and breaks no more.
fn check_no_better(offered: &[&ActionTable]) -> Result<(), String> {
    let set = |ids: &'_ [String]| ids.iter().cloned().collect::<BTreeSet<String>>();
    for better in offered {
        for worse in offered {
            let [kept, broken] = [&better.satisfies, &better.violates].map(|ids| set(ids));
            let [kept_worse, broken_worse] =
                [&worse.satisfies, &worse.violates].map(|ids| set(ids));
            let is_alike = kept == kept_worse && broken == broken_worse;
            if !is_alike && kept.is_superset(&kept_worse) && broken.is_subset(&broken_worse) {
                return Err(format!(
                    "actions: {:?} satisfies all that {:?} satisfies, and violates nothing else, so that it is plainly the better one; expected actions of which none is",
                    better.name, worse.name
                ));
            }
        }
    }
    Ok(())
}

/// Checks what the tables say together.
fn check_whole(file: &EnvironmentFile) -> Result<(), String> {
    let is_offered = |action: &ActionTable| {
        file.state
            .iter()
            .any(|state| state.actions.contains(&action.name))
    };
    if let Some(action) = file.action.iter().find(|action| !is_offered(action)) {
        return Err(format!(
            "action {:?}: stands in the actions of no state; expected it in one, or not at all",
            action.name
        ));
    }
    for id in &file.constraints {
        for (key, is_found) in [
            (
                "satisfies",
                file.action.iter().any(|it| it.satisfies.contains(id)),
            ),
            (
                "violates",
                file.action.iter().any(|it| it.violates.contains(id)),
            ),
        ] {
            if !is_found {
                return Err(format!(
                    "constraints: no action {key} {id:?}; expected one that does, or there is no reason to think of it"
                ));
            }
        }
    }
    let weigh = |is_counted: &dyn Fn(&StateTable) -> bool| -> u64 {
        let counted = file.state.iter().filter(|state| is_counted(state));
        counted.map(|state| state.weight).sum()
    };
    let collides = |state: &StateTable| list_offered(file, state).iter().any(|it| it.collides());
    let (colliding, all) = (weigh(&collides), weigh(&|_| true));
    match colliding * 2 >= all {
        true => Ok(()),
        false => Err(format!(
            "state: constraints collide in states of the weight {colliding} of {all}; expected at least half, or most steps show nothing"
        )),
    }
}
