//! A bound of the stack of every exported function, from the disassembly of an image that contains them all.
//!
//! A function's frame is the sum of all that its instructions take from the stack pointer, whichever path runs, and
//! its bound is the frame and the largest bound of what it calls. A call through a table of functions may go to any
//! implementation that [`INDIRECT_CALLS`] names for the caller. What the walk cannot read is an error: another way to
//! move the stack pointer, recursion, and an indirect call of a function that the table does not name. The function of a
//! caller's sink is the caller's own, and counts for nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use axilog_testkit::declarations::symbols_of;

use super::target::Target;
use crate::process::TaskResult;

/// The implementations of `Sink`.
const SINKS: &[&str] = &["$u20$as$u20$axilog..sink..Sink$GT$"];
/// Those of `LedgerSink`.
const LEDGER_SINKS: &[&str] = &["$u20$as$u20$axilog..ledger..LedgerSink$GT$"];
/// Those of `Registry`, whose `is_empty` is a method of the trait.
const REGISTRIES: &[&str] = &[
    "$u20$as$u20$axilog..policy..Registry$GT$",
    "6axilog6policy8Registry8is_empty",
];
/// Those of `Selectors`.
const SELECTORS: &[&str] = &["$u20$as$u20$axilog..json..values..Selectors$GT$"];
/// The closures that C strings are written by.
const CLOSURES: &[&str] = &[
    "3ffi7pointer10write_text28_$u7b$$u7b$closure",
    "FnOnce40call_once$u7b$$u7b$vtable.shim",
];

/// Parts of the names of functions that call through tables, and parts of the names of what they may call.
const INDIRECT_CALLS: &[(&str, &[&[&str]])] = &[
    ("6axilog11ledger_line", &[SINKS]),
    ("6axilog4json6writer", &[SINKS]),
    ("6axilog8evidence", &[SINKS]),
    ("6axilog4json7escaped", &[CLOSURES]),
    ("6axilog4json6values", &[SELECTORS]),
    ("6axilog4json7extract", &[SELECTORS]),
    ("6axilog3ffi3dvm5apply", &[&["6axilog3q16"]]),
    ("6axilog3ffi8obs_view", &[CLOSURES]),
    ("6axilog5agent4step", &[REGISTRIES]),
    ("6axilog6ledger", &[LEDGER_SINKS]),
    ("6axilog6policy", &[REGISTRIES, SINKS, LEDGER_SINKS]),
    // What iterates over policies.
    ("$LT$core..iter..adapters", &[REGISTRIES]),
    ("agent..step..ScopedSelectors$u20$as", &[REGISTRIES]),
    ("ffi..pointer..ClosureSink$u20$as", &[CLOSURES]),
    // The function of the caller's sink.
    ("ffi..sink..CSink$u20$as", &[]),
];

/// What the walk knows of one function.
#[derive(Default)]
struct Function {
    frame: u32,
    callees: BTreeSet<String>,
    has_indirect_calls: bool,
    /// An instruction that moves the stack pointer, or jumps, in a way that the walk cannot read.
    unread: Option<String>,
}

/// The functions of an image by their labels.
struct CallGraph {
    functions: BTreeMap<String, Function>,
    /// Every symbol with the label at its address: functions with the same code have one label.
    labels: BTreeMap<String, String>,
}

/// Bounds the stack of the named functions.
///
/// # Errors
/// For whatever the walk cannot read.
pub fn bound_stack(
    target: &Target,
    image: &Path,
    names: &[String],
) -> TaskResult<BTreeMap<String, u32>> {
    let graph = CallGraph::read(
        &target.disassemble(image)?,
        &target.run_binutil("nm", image)?,
    )?;
    let mut bounds = BTreeMap::new();
    let mut bounded = BTreeMap::new();
    for (name, symbol) in names.iter().zip(symbols_of(names)) {
        let label = graph
            .labels
            .get(&symbol)
            .ok_or_else(|| format!("{symbol} is not in the image"))?;
        let bound = graph.bound(label, &mut Vec::new(), &mut bounded)?;
        bounds.insert(name.clone(), bound);
    }
    Ok(bounds)
}

impl CallGraph {
    /// Reads what `objdump -d` and `nm` print.
    fn read(disassembly: &str, symbols: &str) -> TaskResult<CallGraph> {
        let mut label_at: BTreeMap<u32, String> = BTreeMap::new();
        let mut labels = BTreeMap::new();
        for line in symbols.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            // A symbol of code. Others, as the size of the memory, are addresses of code by accident.
            let [address, "t" | "T" | "w" | "W", name] = words[..] else {
                continue;
            };
            // The lowest bit tells Thumb code.
            let address = u32::from_str_radix(address, 16)? & !1;
            let label = label_at.entry(address).or_insert_with(|| name.to_owned());
            labels.insert(name.to_owned(), label.clone());
        }
        let mut functions: BTreeMap<String, Function> = BTreeMap::new();
        let mut label = String::new();
        for line in disassembly.lines() {
            if let Some(found) = read_address(line).and_then(|address| label_at.get(&address)) {
                label.clone_from(found);
            }
            let mut columns = line.split('\t').skip(2);
            let Some(operation) = columns.next() else {
                continue;
            };
            let operands = columns.next().unwrap_or_default().trim();
            let function = functions.entry(label.clone()).or_default();
            if let Some(target) = function.read_instruction(operation.trim(), operands)? {
                let callee = label_at.range(..=target).next_back();
                let (_, callee) =
                    callee.ok_or_else(|| format!("{label}: no code at {target:x}"))?;
                if *callee != label {
                    function.callees.insert(callee.clone());
                }
            }
        }
        Ok(CallGraph { functions, labels })
    }

    /// The functions that a call through a table may reach from this one.
    fn find_indirect_callees(&self, label: &str) -> TaskResult<BTreeSet<&String>> {
        let listed = INDIRECT_CALLS.iter().find(|(part, _)| label.contains(part));
        let (_, callees) = listed.ok_or_else(|| {
            format!("{label} calls through a table; say in INDIRECT_CALLS what it may call")
        })?;
        let mut found = BTreeSet::new();
        for parts in *callees {
            let is_callee = |name: &String| parts.iter().any(|part| name.contains(part));
            let symbols = self.labels.iter().filter(|(name, _)| is_callee(name));
            let before = found.len();
            found.extend(symbols.map(|(_, label)| label));
            if found.len() == before {
                return Err(format!("{label} may call {parts:?}, which no function is").into());
            }
        }
        Ok(found)
    }

    /// The most bytes that a function and what it calls take from the stack. `path` leads to it.
    fn bound<'g>(
        &'g self,
        label: &'g String,
        path: &mut Vec<&'g String>,
        bounded: &mut BTreeMap<&'g String, u32>,
    ) -> TaskResult<u32> {
        if let Some(&bound) = bounded.get(label) {
            return Ok(bound);
        }
        if path.contains(&label) {
            return Err(format!("{label} calls itself: {path:?}").into());
        }
        let function = (self.functions.get(label))
            .ok_or_else(|| format!("{label} is called, and no function"))?;
        if let Some(instruction) = &function.unread {
            return Err(format!("{label}: cannot read the stack of {instruction:?}").into());
        }
        path.push(label);
        let mut callees: BTreeSet<&String> = function.callees.iter().collect();
        if function.has_indirect_calls {
            callees.extend(self.find_indirect_callees(label)?);
        }
        let mut deepest = 0;
        for callee in callees {
            deepest = deepest.max(self.bound(callee, path, bounded)?);
        }
        path.pop();
        let bound = function.frame.saturating_add(deepest);
        bounded.insert(label, bound);
        Ok(bound)
    }
}

impl Function {
    /// Reads an instruction of Thumb code, and gives the address that it calls or branches to.
    fn read_instruction(&mut self, operation: &str, operands: &str) -> TaskResult<Option<u32>> {
        let name = operation.split('.').next().unwrap_or_default();
        let list = operands.split_once('{').map(|(_, list)| list);
        let pre_decrement = operands
            .split_once("[sp, #-")
            .and_then(|(_, rest)| rest.strip_suffix("]!"));
        match (name, list) {
            ("push", Some(list)) => self.take(count_registers(list)? * 4),
            ("stmdb", Some(list)) if operands.starts_with("sp!") => {
                self.take(count_registers(list)? * 4);
            }
            ("vpush", Some(list)) => {
                let bytes = if list.starts_with('d') { 8 } else { 4 };
                self.take(count_registers(list)? * bytes);
            }
            _ if pre_decrement.is_some() => {
                self.take(pre_decrement.unwrap_or_default().parse()?);
            }
            ("sub" | "subw", _) if operands.starts_with("sp,") => {
                match operands.rsplit_once('#').map(|(_, bytes)| bytes.parse()) {
                    Some(Ok(bytes)) => self.take(bytes),
                    _ => self.unread = Some(format!("{operation} {operands}")),
                }
            }
            // What gives back counts for nothing, and neither does what leaves the pointer where it is.
            ("add" | "addw", _) if operands.starts_with("sp,") && operands.contains('#') => {}
            ("ldmia" | "vldmia", _) => {}
            ("stmia" | "vstmia" | "cmp" | "tst", _) if operands.starts_with("sp,") => {}
            _ if ["sp,", "sp!", "pc,"]
                .iter()
                .any(|to| operands.starts_with(to)) =>
            {
                self.unread = Some(format!("{operation} {operands}"));
            }
            _ => {}
        }
        let is_branch = name.starts_with('b') || name.starts_with("cb");
        let target = operands.split_once(" <").filter(|_| is_branch);
        self.has_indirect_calls |=
            matches!(name, "bx" | "blx") && target.is_none() && operands != "lr";
        let Some((target, _)) = target else {
            return Ok(None);
        };
        // The address stands alone, or after the register that is compared.
        let address = target.rsplit(' ').next().unwrap_or(target);
        Ok(Some(u32::from_str_radix(address, 16)?))
    }

    fn take(&mut self, bytes: u32) {
        self.frame = self.frame.saturating_add(bytes);
    }
}

/// The address of a line such as `00008f62 <name>:`.
fn read_address(line: &str) -> Option<u32> {
    let (address, _) = line.strip_suffix(">:")?.split_once(" <")?;
    u32::from_str_radix(address, 16).ok()
}

/// The number of registers of a list such as `r4, r6-r8, lr}`.
fn count_registers(list: &str) -> TaskResult<u32> {
    let number = |register: &str| match register {
        "sl" => Ok(10),
        "fp" => Ok(11),
        "ip" => Ok(12),
        "sp" => Ok(13),
        "lr" => Ok(14),
        "pc" => Ok(15),
        _ => register.trim_start_matches(['r', 'd', 's']).parse::<u32>(),
    };
    let mut count = 0;
    for part in list.trim_end_matches('}').split(',') {
        count += match part.trim().split_once('-') {
            Some((first, last)) => number(last)? - number(first)? + 1,
            None => 1,
        };
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound of the function `first`.
    fn bound(disassembly: &str) -> TaskResult<u32> {
        let symbols: String = disassembly
            .lines()
            .filter_map(|line| line.strip_suffix(">:")?.split_once(" <"))
            .map(|(address, name)| format!("{address} T {name}\n"))
            .chain(["00000016 A ram_size\n".to_owned()])
            .collect();
        let graph = CallGraph::read(disassembly, &symbols)?;
        let label = "first".to_owned();
        let mut bounded = BTreeMap::new();
        graph.bound(&label, &mut Vec::new(), &mut bounded)
    }

    #[test]
    fn a_bound_is_the_frame_and_the_deepest_callee() {
        let text = "00000010 <first>:\n  10:\tb5f0\tpush\t{r4, r5, r6-r7, lr}\n  12:\tb082\tsub\tsp, #8\n  \
                    14:\td0\tbeq.n\t18 <ram_size+0x2>\n  15:\tb1\tcbz\tr3, 16 <ram_size>\n  16:\tf0\tbl\t30 <second>\n  18:\tf0\tb.w\t50 <third>\n\n\
                    00000030 <second>:\n  30:\ted2d\tvpush\t{d8-d9}\n  34:\tf5ad\tsub.w\tsp, sp, #1000\n  \
                    38:\tb002\tadd\tsp, #8\n  3a:\t4770\tbx\tlr\n\n\
                    00000050 <third>:\n  50:\te92d\tstmdb\tsp!, {r4, sl, fp, lr}\n  54:\tf84d\tstr.w\tfp, [sp, #-4]!\n";
        assert_eq!(bound(text).unwrap(), 20 + 8 + 16 + 1000);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for (text, said) in [
            (
                "00000010 <first>:\n  10:\tf0\tbl\t20 <second>\n\n00000020 <second>:\n  20:\tf0\tbl\t10 <first>\n",
                "calls itself",
            ),
            (
                "00000010 <first>:\n  10:\tf0\tsub.w\tsp, sp, r4\n",
                "cannot read the stack",
            ),
            (
                "00000010 <first>:\n  10:\tf0\tmov\tsp, r7\n",
                "cannot read the stack",
            ),
            (
                "00000010 <first>:\n  10:\tf0\tldr\tsp, [r3]\n",
                "cannot read the stack",
            ),
            (
                "00000010 <first>:\n  10:\tf0\tldr.w\tpc, [r3]\n",
                "cannot read the stack",
            ),
            (
                "00000010 <first>:\n  10:\tf0\tblx\tr3\n",
                "calls through a table",
            ),
            (
                "00000010 <first>:\n  10:\tf0\tbl\t8 <second>\n",
                "no code at 8",
            ),
        ] {
            let error = bound(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_call_through_a_table_reaches_every_implementation() {
        let text = "00000010 <first>:\n  10:\tf0\tbl\t20 <_ZN6axilog4json6writer3u6417h0E>\n\n\
                    00000020 <_ZN6axilog4json6writer3u6417h0E>:\n  20:\tb5\tpush\t{lr}\n  22:\t47\tblx\tr3\n\n\
                    00000030 <_ZN1$LT$A$u20$as$u20$axilog..sink..Sink$GT$3put>:\n  30:\tb0\tsub\tsp, #100\n\n\
                    00000040 <_ZN1$LT$B$u20$as$u20$axilog..sink..Sink$GT$3put>:\n  40:\tb0\tsub\tsp, #200\n";
        assert_eq!(bound(text).unwrap(), 204);
    }
}
