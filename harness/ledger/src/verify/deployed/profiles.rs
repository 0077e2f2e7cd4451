//! The profiles of observations, as a report names them.

use axilog::profile::Profile;

/// The name of a profile.
#[must_use]
pub fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Rfc8785 => "RFC8785",
        Profile::Oracle1_1 => "ORACLE_1_1",
        Profile::Oracle1_2 => "ORACLE_1_2",
    }
}

/// Notes that an observation is written in a profile.
pub(crate) fn note_profile(profiles: &mut [bool; 3], profile: Profile) {
    let index = Profile::ALL.iter().position(|known| *known == profile);
    if let Some(seen) = index.and_then(|index| profiles.get_mut(index)) {
        *seen = true;
    }
}
