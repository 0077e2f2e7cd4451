/**
 * The names of the evidence.
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_DVEC_H
#define AXILOG_DVEC_H


#endif /* AXILOG_DVEC_H */
