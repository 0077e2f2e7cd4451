/**
 * The names of the evidence.
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_DVEC_H
#define AXILOG_DVEC_H

/**
 * The tag of the genesis record.
 */
#define AX_TAG_STATE "AX:STATE:v1"

/**
 * The tag of a transition.
 */
#define AX_TAG_TRANS "AX:TRANS:v1"

/**
 * The tag of an observation.
 */
#define AX_TAG_OBS "AX:OBS:v1"

/**
 * The tag of a policy's decision.
 */
#define AX_TAG_POLICY "AX:POLICY:v1"

/**
 * The tag of a seal.
 */
#define AX_TAG_PROOF "AX:PROOF:v1"

/**
 * The prefix of every chain step; never the tag of a record.
 */
#define AX_CHAIN_LEDGER "AX:LEDGER:v1"

#endif /* AXILOG_DVEC_H */
