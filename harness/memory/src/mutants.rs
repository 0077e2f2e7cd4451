//! Mutants: defects of the memory that a test switches on, one at a time, to see that a gate finds each.
//!
//! The code asks `is_active` where a mutant would differ. Without the feature `mutants`, and in every build without
//! debug assertions, `is_active` is `false` and the compiler removes what depends on it: no release build has a
//! mutant, whatever features it is built with.

use crate::words::words;

words! {
    /// A defect, described as the page has it.
    #[allow(missing_docs, reason = "the spelling says what the mutant does")]
    pub enum Mutant {
        MasksOff = "every mask is ignored",
        PlayerMasksIgnored = "the players of a mask are ignored",
        OnlyFirstViewerChecked = "only the first viewer is checked",
        SystemFactsShown = "SYSTEM facts are shown",
        DmFactsShown = "DM_ONLY facts are shown",
        OneRowForAllClasses = "one row of the mask matrix serves every class",
        LocksIgnored = "every lock is ignored",
        UntaggedFactsOpen = "a fact without a tag is open",
        NothingRedacted = "no string is found in any text",
        NarrationUnchecked = "narrations are not checked",
        RequestUncleaned = "requests go into prompts as they are",
        PicturesUnsearched = "requests for pictures are not searched",
        BriefsUnchecked = "image briefs are not compared",
        NewStringsUnknown = "strings of new facts are not sought",
        CaseKept = "case is not folded",
        CompatibleFormsApart = "full width and the like is not folded",
        LookAlikesApart = "letters of other scripts that look alike are not folded",
        SeparatorsKept = "separators between digits are not skipped",
        WholeWordsOnly = "no string is found inside words",
        EncodedTextUnsearched = "encoded text is not decoded",
        RecallsUnlockForGood = "an unlock never expires",
        SceneUnlocksOutlastSession = "an unlock for a scene outlasts the session",
        SessionsNeverEnd = "a session does not end what it unlocked",
        NotebooksOpenOtherCampaigns = "a notebook opens other campaigns",
        FailuresUnlock = "a roll that failed unlocks",
        RollIgnored = "every roll succeeds",
        DiceIgnored = "a roll against its DC is ignored",
        NoRollNeeded = "no roll is needed",
        SecondRollsAllowed = "a second roll in a scene counts",
        FuzzyTellsExact = "a FUZZY answer tells the exact payload",
        MaskedHandlesAnswered = "masked handles are answered",
        AttemptsNotLogged = "EV-002 is not logged",
        WrongScene = "EV-001 has another scene",
        WrongHandle = "EV-003 has another handle",
        WrongPayload = "EV-003 has another payload",
        ConsentNotNeeded = "a notebook entry needs no consent",
        AnyPlayerConsents = "any player may consent",
        ConsentsUnlock = "a consent unlocks before the entry is written",
        ClockInBytes = "a clock is in the bytes",
        LogLengthInBytes = "the length of the log is in the bytes",
        OrderBySequence = "facts are ordered by sequence",
        BudgetIgnored = "the budget is ignored",
        LargeFactsSkipped = "a fact that does not fit is skipped",
        FactsEndEarly = "facts end before the budget does",
        AlwaysComplete = "every working set says that it is complete",
        ModesForgotten = "a change of mode is forgotten",
        CompactionsOfPayloads = "compactions are made of payloads",
        CompactionsLoseTheLast = "compactions leave the last fact out",
        CompactionMasksIgnored = "compactions ignore masks",
        NudgesSelect = "a nudge changes the story",
        ScoresSelect = "a picture's score changes the story",
        ReadersMayWrite = "a reader may write",
        LogCanBeChanged = "the log lacks a trigger",
        ChainUnchecked = "the chain is not checked",
        PinsNotAsserted = "pins are not asserted",
        RevisionsUnchecked = "a revision need not name the value it changes",
    }
}

#[cfg(all(feature = "mutants", debug_assertions))]
mod switch {
    use std::cell::Cell;

    use super::Mutant;

    thread_local! {
        static ACTIVE: Cell<Option<Mutant>> = const { Cell::new(None) };
    }

    /// Whether a mutant is switched on in this thread.
    pub(crate) fn is_active(mutant: Mutant) -> bool {
        ACTIVE.get() == Some(mutant)
    }

    /// Runs `work` with a mutant switched on in this thread.
    pub fn run_with<T>(mutant: Mutant, work: impl FnOnce() -> T) -> T {
        ACTIVE.set(Some(mutant));
        let result = work();
        ACTIVE.set(None);
        result
    }
}

#[cfg(all(feature = "mutants", debug_assertions))]
pub use switch::run_with;

#[cfg(all(feature = "mutants", debug_assertions))]
pub(crate) use switch::is_active;

/// No mutant is ever active in this build.
#[cfg(not(all(feature = "mutants", debug_assertions)))]
pub(crate) const fn is_active(_: Mutant) -> bool {
    false
}
