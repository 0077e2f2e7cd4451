/** The names of the evidence, and those by which deployed modules declare what they are. */

#ifndef AXILOG_COMPAT_DVEC_H
#define AXILOG_COMPAT_DVEC_H

#include "../../axilog/dvec.h"

/** The tags of other chains of such rigs. */
#define DVM_CHAIN_LEDGER "DVM:LEDGER:v1"
#define DVM_CHAIN_STATE "DVM:STATE:v1"
#define DVM_CHAIN_INGRESS "DVM:INGRESS:v1"

/** The class of a module's determinism, as a number and as a text. */
#define DVEC_CLASS_D1 1
#define DVEC_CLASS_D2 2
#define DVEC_CLASS_D3 3
#define AXILOG_DETERMINISM_D1 "D1 — Strict Deterministic"
#define AXILOG_DETERMINISM_D2 "D2 — Constrained Deterministic"
#define AXILOG_DETERMINISM_D3 "D3 — Observed Non-Deterministic"

/** The version of the rules for those classes. */
#define DVEC_VERSION "v1.3"

#endif /* AXILOG_COMPAT_DVEC_H */
