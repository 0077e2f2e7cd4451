//! Cutting a text to its token budget (A2.2): at line ends and word ends; a last line marks the cut.

use super::error::BundleError;

/// The last line of a text that was cut.
pub const MARKER: &str = "[... truncated to fit token budget ...]";

/// A predicate: whether a text fits its budget.
pub(super) type Fits<'a> = &'a dyn Fn(&str) -> Result<bool, BundleError>;

/// A text that fits its budget, and whether it was cut for that.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FittedText {
    pub(super) text: String,
    pub(super) cut: bool,
}

/// As much of `text` as fits, or `None` where not even its first line and the marker do. Lines for
/// which `whole` holds stand whole or not at all.
pub(super) fn fit(
    text: &str,
    whole: fn(&str) -> bool,
    fits: Fits<'_>,
) -> Result<Option<FittedText>, BundleError> {
    if fits(text)? {
        return Ok(Some(FittedText {
            text: text.to_owned(),
            cut: false,
        }));
    }
    let ends = cuts(text, whole);
    let marked = |end: usize| format!("{}\n{MARKER}", text.get(..end).unwrap_or_default());
    // A longer text has more tokens, by words always and by a tokenizer nearly: the last step back
    // is for the latter.
    let (mut low, mut high) = (0, ends.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        let fine = match ends.get(middle - 1) {
            Some(end) => fits(&marked(*end))?,
            None => false,
        };
        if fine {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let first = text.find('\n').unwrap_or(text.len());
    for end in ends.iter().take(low).rev() {
        let text = marked(*end);
        if *end >= first && fits(&text)? {
            return Ok(Some(FittedText { text, cut: true }));
        }
    }
    Ok(None)
}

/// As much of two texts as fits, a blank line between them. `fits_half` says whether a text has at most half of
/// the room: of that each is sure, and of what the other leaves. Where there is room for one only, it is the
/// second. An empty text needs no room.
pub(super) fn fit_both(
    [first, second]: [&str; 2],
    whole: fn(&str) -> bool,
    fits: Fits<'_>,
    fits_half: Fits<'_>,
) -> Result<Option<FittedText>, BundleError> {
    if first.is_empty() || second.is_empty() {
        return fit(&format!("{first}{second}"), whole, fits);
    }
    let join = |first: &str, second: &str| format!("{first}\n\n{second}");
    let all = join(first, second);
    if fits(&all)? {
        return Ok(Some(FittedText {
            text: all,
            cut: false,
        }));
    }
    let small_second = fits_half(second)?;
    let fitted_first = match small_second {
        true => fit(first, whole, &|text| fits(&join(text, second)))?,
        false => fit(first, whole, fits_half)?,
    };
    let fitted_second = match &fitted_first {
        Some(first) => fit(second, whole, &|text| fits(&join(&first.text, text)))?,
        None => None,
    };
    let text = match (fitted_first, fitted_second) {
        (Some(first), Some(second)) => join(&first.text, &second.text),
        _ => match fit(second, whole, fits)? {
            Some(second) => second.text,
            None => return Ok(None),
        },
    };
    Ok(Some(FittedText { text, cut: true }))
}

/// Where `text` may end, in order: after each word and each line.
fn cuts(text: &str, whole: fn(&str) -> bool) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        if !whole(line) {
            let mut in_word = false;
            for (at, c) in line.char_indices() {
                if c.is_whitespace() && in_word {
                    ends.push(start + at);
                }
                in_word = !c.is_whitespace();
            }
        }
        if !line.is_empty() {
            ends.push(start + line.len());
        }
        start += line.len() + 1;
    }
    ends
}
