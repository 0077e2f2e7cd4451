//! The golden vectors as the C source that `c-tests/vectors.h` declares; `xtask` compiles this file
//! too.

use std::fmt::Write;

use crate::vectors::{
    ObservationVector, RecordVector, StepVector, agents, decode, observations, selectors, unhex,
    vector,
};

/// The text of `vectors.c`.
pub fn vectors() -> String {
    let mut tables = Tables::default();
    tables.observations();
    tables.agents();
    tables.q16();
    tables.selectors();
    let golden = tables.bytes(vector("breach-alarm-recover.jsonl").as_bytes());
    let _ = writeln!(
        tables.ends,
        "const bytes_t BREACH_ALARM_RECOVER = {};",
        golden
    );
    format!("#include \"vectors.h\"\n\n{}{}", tables.arrays, tables.ends)
}

#[derive(Default)]
struct Tables {
    /// Definitions that the ends refer to.
    arrays: String,
    ends: String,
    count: usize,
}

impl Tables {
    /// A `bytes_t` initialiser over an array of its own: C99 promises string literals of 4095
    /// characters only.
    fn bytes(&mut self, bytes: &[u8]) -> String {
        let name = format!("b{}", self.count);
        self.count += 1;
        let _ = write!(self.arrays, "static const uint8_t {name}[] = {{");
        for byte in bytes {
            let _ = write!(self.arrays, "{byte},");
        }
        self.arrays.push_str("0};\n");
        format!("{{ {name}, sizeof {name} - 1 }}")
    }

    /// An array of the given rows, of at least one, and its name and length.
    fn rows(&mut self, of: &str, rows: &[String]) -> String {
        if rows.is_empty() {
            return "NULL, 0".into();
        }
        let name = format!("r{}", self.count);
        self.count += 1;
        let _ = writeln!(self.arrays, "static const {of} {name}[] = {{");
        for row in rows {
            let _ = writeln!(self.arrays, "    {row},");
        }
        self.arrays.push_str("};\n");
        format!("{name}, {}", rows.len())
    }

    /// The public array `name` and its length `name_COUNT`.
    fn table(&mut self, of: &str, name: &str, count: &str, rows: &[String]) {
        let _ = writeln!(self.ends, "const {of} {name}[] = {{");
        for row in rows {
            let _ = writeln!(self.ends, "    {row},");
        }
        let _ = writeln!(self.ends, "}};\nconst size_t {count} = {};", rows.len());
    }

    fn observations(&mut self) {
        let rows: Vec<String> = observations().iter().map(|v| self.observation(v)).collect();
        self.table(
            "observation_vector_t",
            "OBSERVATIONS",
            "OBSERVATION_COUNT",
            &rows,
        );
    }

    fn observation(&mut self, v: &ObservationVector) -> String {
        let input = self.bytes(&decode(&v.input_b64));
        let output = self.bytes(&decode(&v.output_b64));
        let records = [&v.rfc8785, &v.oracle_1_1, &v.oracle_1_2].map(|r| self.record(r.as_ref()));
        format!(
            "{{ {}, {}u, {}, {}, {{ {}, {}, {}, {} }}, {input}, {output}, {}, {}, {}, {{ {} }} }}",
            text(&v.name),
            v.ledger_seq,
            text(&v.oracle_id),
            text(&v.model_id),
            v.params
                .max_tokens
                .map_or("AX_PARAMS_NULL_INT32".into(), |n| n.to_string()),
            v.params
                .seed
                .map_or("AX_PARAMS_NULL_INT64".into(), |n| n.to_string()),
            v.params
                .temperature
                .map_or("AX_PARAMS_NULL_Q16".into(), |n| n.to_string()),
            v.params
                .top_p
                .map_or("AX_PARAMS_NULL_Q16".into(), |n| n.to_string()),
            v.completion_state,
            v.failure_type,
            text(&v.status),
            records.join(", ")
        )
    }

    fn record(&mut self, record: Option<&RecordVector>) -> String {
        let Some(r) = record else {
            return "{ 0, 0, NULL, NULL, NULL, { NULL, 0 } }".into();
        };
        let bytes = match &r.bytes {
            Some(bytes) => self.bytes(bytes.as_bytes()),
            None => "{ NULL, 0 }".into(),
        };
        format!(
            "{{ 1, {}, {}, {}, {}, {bytes} }}",
            r.len,
            text(&r.obs_hash),
            text(&r.sha256),
            text(&r.commit)
        )
    }

    fn agents(&mut self) {
        let mut rows = Vec::new();
        for v in agents() {
            let policies: Vec<String> = v
                .policies
                .iter()
                .map(|p| {
                    format!(
                        "{{ {}, {}, {}, {}, {} }}",
                        text(&p.policy_id),
                        p.threshold,
                        comparison(&p.comparison),
                        p.enabled,
                        text(&p.selector)
                    )
                })
                .collect();
            let policies = self.rows("policy_vector_t", &policies);
            let steps: Vec<String> = v.steps.iter().map(|s| self.step(s)).collect();
            let steps = self.rows("step_vector_t", &steps);
            let configuration = self.bytes(v.configuration.as_bytes());
            let manifest = match &v.manifest {
                Some(digits) => self.bytes(&unhex(digits)),
                None => "{ NULL, 0 }".into(),
            };
            rows.push(format!(
                "{{ {}, {policies}, {}, {}, {manifest}, {configuration}, {steps}, {} }}",
                text(&v.name),
                u8::from(v.permit_truncated),
                u8::from(v.stop_on_invalid),
                text(&v.ledger_sha256)
            ));
        }
        self.table("agent_vector_t", "AGENTS", "AGENT_COUNT", &rows);
    }

    fn step(&mut self, s: &StepVector) -> String {
        let input = self.bytes(&decode(&s.input_b64));
        let output = self.bytes(&decode(&s.output_b64));
        let records: Vec<String> = s
            .records
            .iter()
            .map(|(tag, payload)| {
                let payload = self.bytes(payload.as_bytes());
                format!("{{ {}, {payload} }}", text(tag))
            })
            .collect();
        let records = self.rows("evidence_vector_t", &records);
        format!(
            "{{ {}, {}, {input}, {output}, {}, {}, {records}, {}, {}u }}",
            text(&s.oracle_id),
            text(&s.model_id),
            text(&s.health),
            s.fault_count,
            text(&s.head),
            s.sequence
        )
    }

    fn selectors(&mut self) {
        let vectors = selectors();
        let mut rows = Vec::new();
        for v in &vectors.extracted {
            let answer = self.bytes(v.answer.as_bytes());
            rows.push(format!(
                "{{ {}, {}, {answer}, {} }}",
                text(&v.selector),
                comparison(&v.comparison),
                int32(v.value.unwrap_or(i32::MIN))
            ));
        }
        self.table("extracted_vector_t", "EXTRACTED", "EXTRACTED_COUNT", &rows);
        let valid: Vec<String> = vectors
            .valid
            .iter()
            .map(|selector| text(selector))
            .collect();
        self.table(
            "char *const",
            "VALID_SELECTORS",
            "VALID_SELECTOR_COUNT",
            &valid,
        );
        let refused: Vec<String> = vectors
            .refused
            .iter()
            .map(|selector| text(selector))
            .collect();
        self.table(
            "char *const",
            "REFUSED_SELECTORS",
            "REFUSED_SELECTOR_COUNT",
            &refused,
        );
    }

    fn q16(&mut self) {
        #[derive(serde::Deserialize)]
        struct File {
            arith: Vec<(String, i32, i32, i32, Vec<String>)>,
            decimal: Vec<(String, serde::de::IgnoredAny)>,
        }
        let file: File = serde_json::from_str(&vector("q16.json")).unwrap();
        let rows: Vec<String> = file
            .arith
            .iter()
            .map(|(name, a, b, result, flags)| {
                let operation = match name.as_str() {
                    "add" => '+',
                    "sub" => '-',
                    "mul" => '*',
                    "div" => '/',
                    other => panic!("{other}"),
                };
                let flag = |name: &str| u8::from(flags.iter().any(|flag| flag == name));
                format!(
                    "{{ '{operation}', {}, {}, {}, {}, {}, {}, {} }}",
                    int32(*a),
                    int32(*b),
                    int32(*result),
                    flag("overflow"),
                    flag("underflow"),
                    flag("div_zero"),
                    flag("saturation")
                )
            })
            .collect();
        self.table("q16_vector_t", "Q16", "Q16_COUNT", &rows);
        let rows: Vec<String> = file
            .decimal
            .iter()
            .map(|(spelling, _)| text(spelling))
            .collect();
        self.table("char *const", "DECIMALS", "DECIMAL_COUNT", &rows);
    }
}

/// An `ax_policy_cmp_t`, or 99 for an operator outside the set.
fn comparison(name: &str) -> usize {
    let known = ["GT", "LT", "GE", "LE"];
    known.iter().position(|own| *own == name).unwrap_or(99)
}

/// 2147483648 is no `int`, so its negation is none either.
fn int32(value: i32) -> String {
    match value {
        i32::MIN => "INT32_MIN".into(),
        other => other.to_string(),
    }
}

/// A short C string; what a compiler could take for something else, and what is not ASCII, by its octal number.
fn text(text: &str) -> String {
    let write = |byte: u8| match byte {
        b'"' | b'\\' | b'?' | 0..b' ' | 0x7f.. => format!("\\{byte:03o}"),
        _ => char::from(byte).to_string(),
    };
    format!("\"{}\"", text.bytes().map(write).collect::<String>())
}
