//! The C suites and the number of checks in each.

/// Hands the list to another macro.
#[macro_export]
macro_rules! for_each_suite {
    ($macro:ident) => {
        $macro! {
            limits 14
            types 103
            dvm 4010
            dvec 14
            sha256 76
            commitment 39
            oracle 15
            obs 2414
            obs_reading 248
            canonical 110
            validate 313
            hash 48
            audit 640
            policy 748
            policy_selectors 2133
            agent 1570
            agent_permission 451
            agent_step 424
            replay 8328
            replay_lines 20743
            axilog 11
        }
    };
}
