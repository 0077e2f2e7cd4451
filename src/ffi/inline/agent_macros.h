struct ax_obs_input_t;

/** Faults in ENABLED from which the agent is in ALARM. */
#define AX_FAULT_THRESHOLD_ALARM 3U
/** Faults in ENABLED from which the agent is STOPPED. */
#define AX_FAULT_THRESHOLD_STOP 5U
