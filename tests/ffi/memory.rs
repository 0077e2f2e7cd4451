//! The C functions on memory as C gives it: uninitialised, exactly as long as it must be, at any
//! address, NULL. Under Miri (`cargo xtask miri`) an access beyond any of it is an error, and so is a
//! byte that is read before it was written; elsewhere the results are checked.

use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null, null_mut};

use axilog::ffi::{
    agent::*, agent_step::*, audit_line::*, canonical::*, commitment::*, dvm::*, obs::*,
    obs_input::*, obs_view::*, oracle::*, sha256::*, types::*, validate::*,
};

use crate::buffers::{ANSWER, Room, exact, flags};

fn record_of(output: &str) -> Vec<u8> {
    let (_text, at, len) = exact(output.as_bytes());
    let mut faults = flags();
    let (mut input, mut record) = (Box::new_uninit(), Box::new_uninit());
    let mut ctx = ax_admission_ctx_t {
        last_ledger_seq: 0,
        initialized: 0,
        profile: MaybeUninit::new(ax_profile_t::AX_PROFILE_RFC8785),
        max_output_bytes: 0,
        reject_del: 0,
    };
    let mut buffer = Room::new(output.len() + 1);
    let mut room = Room::new(2048);
    // SAFETY: every pointer is to memory of the length given.
    let len = unsafe {
        let (llm, model) = (c"llm".as_ptr(), c"m".as_ptr());
        ax_obs_input_set_complete(input.as_mut_ptr(), 1, llm, model, at, len, at, len, null());
        let (out, given) = (record.as_mut_ptr(), input.as_ptr());
        let size = buffer.len();
        assert_eq!(
            ax_obs_admit(out, buffer.at(), size, given, &mut ctx, &mut faults),
            AX_OK
        );
        assert_eq!(ax_obs_validate(out, &mut faults), AX_OK);
        ax_obs_canonicalise(room.at(), 2048, out, 1)
    };
    assert_eq!(
        buffer.written(output.len() + 1),
        [output.as_bytes(), b"\0"].concat()
    );
    room.written(usize::try_from(len).unwrap())
}

type Write<'w> = &'w dyn Fn(*mut c_char, usize) -> c_int;

/// `write` needs exactly `nul` bytes more than it writes, touches nothing where it lacks one, and
/// reads nothing of what it is given.
fn writes(expected: &[u8], nul: usize, write: Write<'_>) {
    let needed = expected.len() + nul;
    for len in [needed, needed + 1, needed + 70] {
        let mut room = Room::new(len);
        assert_eq!(write(room.at(), len), expected.len() as c_int);
        assert_eq!(room.written(expected.len()), expected);
        assert!(
            room.written(needed)[expected.len()..]
                .iter()
                .all(|&b| b == 0)
        );
    }
    for len in [0, 1, needed / 2, needed - 1]
        .into_iter()
        .filter(|&len| len < needed)
    {
        let mut room = Room::filled(len);
        assert_eq!(write(room.at(), len), AX_ERR_BUFFER);
        assert_eq!(room.written(len), vec![0xA5; len]);
    }
    assert_eq!(write(NonNull::dangling().as_ptr(), 0), AX_ERR_BUFFER);
    assert_eq!(write(null_mut(), needed), AX_ERR_PROTOCOL);
    assert_eq!(write(null_mut(), 0), AX_ERR_PROTOCOL);
}

#[test]
fn writers_fill_exactly_their_room() {
    let (_raw, raw, raw_len) = exact(b"a\r\nb\"\\");
    let (_hash, hash, _) = exact(&[0xAB; 32]);
    let params = ax_oracle_params_t {
        max_tokens: 1,
        seed: -1,
        temperature: i32::MIN,
        top_p: 2,
    };
    let null_params = b"{\"max_tokens\":1,\"seed\":null,\"temperature\":null,\"top_p\":2}";
    let long = MaybeUninit::new(ax_profile_t::AX_PROFILE_ORACLE_1_1);
    let record = record_of(ANSWER);
    let mut view = MaybeUninit::uninit();
    let (_copy, at, len) = exact(&record);
    let (mut faults, mut entry) = (flags(), MaybeUninit::uninit());
    // SAFETY: every pointer is to memory of the length given.
    unsafe {
        writes(b"-9223372036854775808", 1, &|to, n| {
            ax_format_int64(to, n, i64::MIN)
        });
        writes(b"0", 1, &|to, n| ax_format_uint64(to, n, 0));
        writes(b"-1", 1, &|to, n| ax_format_q16(to, n, -1));
        writes(&b"ab".repeat(32), 1, &|to, n| {
            ax_format_hash_hex(to, n, hash.cast(), 32)
        });
        writes(b"", 1, &|to, n| ax_format_hash_hex(to, n, null(), 0));
        writes(null_params, 1, &|to, n| {
            ax_params_canonicalise(to, n, &params)
        });
        writes(b"a\nb\"\\", 1, &|to, n| {
            ax_normalise_line_endings(to, n, raw, raw_len)
        });
        writes(b"a\nb\"\\", 1, &|to, n| {
            ax_validate_and_normalise(to, n, raw, raw_len, &mut flags())
        });
        let (_plain, plain, plain_len) = exact(b"\n\"");
        writes(b"\\n\\\"", 1, &|to, n| {
            ax_string_escape(to, n, plain, plain_len)
        });
        writes(b"\\u000a\\\"", 1, &|to, n| {
            ax_string_escape_as(to, n, plain, plain_len, long)
        });
        let parsed = ax_obs_parse(view.as_mut_ptr(), at.cast(), len, null_mut(), &mut faults);
        assert_eq!(parsed, AX_OK);
        writes(ANSWER.as_bytes(), 1, &|to, n| {
            ax_obs_output(view.as_ptr(), to, n)
        });
        assert_eq!(ax_ledger_genesis_entry(entry.as_mut_ptr()), AX_OK);
        let mut line = Room::new(1024);
        let written = ax_ledger_line_write(line.at(), 1024, entry.as_ptr());
        let line = line.written(usize::try_from(written).unwrap());
        writes(&line, 0, &|to, n| {
            ax_ledger_line_write(to.cast(), n, entry.as_ptr())
        });
    }
}

/// Each prefix of a text in an allocation of its own, after which the reader may not look; then
/// nothing, by two addresses, and a NULL that is said to hold a byte, which is no text at all.
fn prefixes(text: &[u8], read: impl Fn(Option<&[u8]>, *const u8, usize)) {
    // An interpreter takes its time; the ends are what matters.
    let tried = |len: &usize| !cfg!(miri) || len.is_multiple_of(16) || len + 2 > text.len();
    for len in (0..=text.len()).filter(tried) {
        let (_copy, at, len) = exact(&text[..len]);
        read(Some(&text[..len]), at.cast(), len);
    }
    read(Some(&[]), null(), 0);
    read(Some(&[]), NonNull::dangling().as_ptr(), 0);
    read(None, null(), 1);
}

#[test]
fn readers_stay_within_what_they_are_given() {
    let text = format!("{ANSWER}e\u{301}\u{1100}\u{1161}\r\n\u{1F600}");
    // SAFETY: every pointer is to memory of the length given, or the length says there is none.
    prefixes(text.as_bytes(), |given, at, len| unsafe {
        let (text, mut hash) = (at.cast(), [0; 32]);
        let utf8 = given.is_some_and(|given| std::str::from_utf8(given).is_ok());
        assert_eq!(ax_validate_utf8(text, len), c_int::from(utf8));
        assert!(ax_is_nfc(text, len) <= ax_validate_utf8(text, len));
        assert_eq!(ax_validate_encoding(text, len), ax_is_nfc(text, len));
        let object = given == Some(b"{\"value\":1}");
        assert_eq!(ax_is_canonical_json(text, len), c_int::from(object));
        assert_eq!(ax_hash_equal_ct(at, at, len), c_int::from(given.is_some()));
        ax_contains_forbidden_control(text, len);
        ax_sha256(&mut hash, at, len);
        assert_eq!(hash == [0; 32], given.is_none());
        ax_compute_derivation_hash(&mut hash, null(), text, len);
        axilog_commit(c"t".as_ptr(), at, len as u64, &mut hash, &mut flags());
        assert_eq!(hash == [0; 32], given.is_none());
        let input = ax_input_t {
            r#type: MaybeUninit::new(ax_input_class_t::AX_INPUT_LLM_OBS),
            payload: at,
            payload_len: len as u64,
            ledger_seq: 1,
        };
        assert_eq!(ax_agent_extract_value(&input), i32::MIN);
    });
    let record = record_of(ANSWER);
    // SAFETY: as above.
    prefixes(&record, |_, at, len| unsafe {
        let mut out = MaybeUninit::uninit();
        let parsed = ax_obs_parse(out.as_mut_ptr(), at, len, null_mut(), &mut flags());
        assert_eq!(parsed == AX_OK, len == record.len());
        let mut timestamp = 0;
        assert_eq!(
            ax_extract_timestamp(at, len as u64, &mut timestamp, &mut flags()),
            0
        );
    });
    let (mut room, mut entry) = (Room::new(512), MaybeUninit::uninit());
    // SAFETY: as above.
    let line = unsafe {
        assert_eq!(ax_ledger_genesis_entry(entry.as_mut_ptr()), AX_OK);
        ax_ledger_line_write(room.at(), 512, entry.as_ptr())
    };
    let line = room.written(usize::try_from(line).unwrap());
    // SAFETY: as above.
    prefixes(&line, |_, at, len| unsafe {
        let (mut out, mut tag) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        let parsed = ax_ledger_line_parse(out.as_mut_ptr(), tag.as_mut_ptr(), at, len);
        // With its line feed or without.
        assert_eq!(parsed == AX_OK, len + 1 >= line.len());
        if parsed == AX_OK {
            let out = out.assume_init();
            assert_eq!(CStr::from_ptr(out.tag), c"AX:STATE:v1");
            let record = line
                .windows(11)
                .position(|w| w == b",\"record\":{")
                .unwrap()
                + 10;
            assert_eq!(out.payload, at.add(record));
        }
    });
}

/// Rigs of deployed callers have eight bytes of flags, of which some functions touch seven.
#[test]
fn short_fault_flags() {
    let mut room = Room(vec![MaybeUninit::new(0); 7].into());
    let short = room.at::<ct_fault_flags_t>();
    let mut hash = [0; 32];
    // SAFETY: these functions promise to touch no more than seven flags.
    unsafe {
        assert_eq!(dvm_add_q16(i32::MAX, 1, short), i32::MAX);
        assert_eq!(dvm_sub_q16(i32::MIN, 1, short), i32::MIN);
        assert_eq!(dvm_mul_q16(i32::MAX, i32::MAX, short), i32::MAX);
        assert_eq!(dvm_div_q16(1, 0, short), 0);
        axilog_commit(null(), null(), 0, &mut hash, short);
    }
    assert_eq!(room.written(7), [1, 1, 1, 1, 0, 1, 0]);
}
