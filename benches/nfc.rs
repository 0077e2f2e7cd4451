//! Speed of text admission on 16 KiB of several kinds of text: `is_nfc` beside `icu_normalizer`,
//! `Text::check` beside a copy of the same bytes.

#![allow(missing_docs, reason = "criterion_group! makes public functions")]

mod support;

use std::hint::black_box;

use axilog::text::{Text, is_nfc};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use icu_normalizer::ComposingNormalizerBorrowed;
use support::ratio;

const SIZE: usize = 16 * 1024;

const SENTENCES: [(&str, &str); 12] = [
    (
        "ascii",
        "The pump reports a pressure of 4.2 bar, which is within its limits; no action is needed.\n",
    ),
    (
        "french",
        "Après l'arrêt de la pompe, la température a baissé de trois degrés; le débit reste élevé à midi.\n",
    ),
    (
        "german",
        "Die Prüfung läuft, größere Störungen wären gemäß Protokoll sofort zu melden; das Ventil schließt.\n",
    ),
    ("latin-dense", "aéoüßiçàn êtôéuä ñoïlåø æbéàrü "),
    (
        "french-typographic",
        "L’opérateur a dit : « vérifiez l’état de la vanne… » — puis il s’est éloigné.\n",
    ),
    (
        "chinese",
        "水泵的压力为四点二巴,处于允许范围之内。操作员问:“是否需要关闭阀门?”系统回答:不需要。",
    ),
    (
        "japanese",
        "ポンプの圧力は正常な範囲にあります。バルブを閉じる必要はありません、と彼女は「静かに」答えた。",
    ),
    (
        "korean",
        "펌프의 압력은 정상 범위에 있습니다. 밸브를 닫을 필요가 없다고 운영자가 말했습니다.\n",
    ),
    (
        "russian",
        "Давление насоса находится в допустимых пределах; закрывать клапан не требуется.\n",
    ),
    (
        "vietnamese",
        "Áp suất của máy bơm nằm trong giới hạn cho phép; không cần phải đóng van lại.\n",
    ),
    (
        "hindi",
        "पंप का दबाव सामान्य सीमा में है, इसलिए वाल्व बंद करने की आवश्यकता नहीं है।\n",
    ),
    (
        "emoji",
        "All good 👍 — pump 💧 fine, valve 🔧 closed, crew 😀🎉.\n",
    ),
];

/// Whole sentences up to `SIZE`, then spaces.
fn corpus(sentence: &str) -> String {
    let mut text = sentence.repeat(SIZE / sentence.len());
    text.push_str(&" ".repeat(SIZE - text.len()));
    text
}

fn normal_form(c: &mut Criterion) {
    let icu = ComposingNormalizerBorrowed::new_nfc();
    let mut group = c.benchmark_group("is_nfc");
    group.throughput(Throughput::Bytes(SIZE as u64));
    for (name, sentence) in SENTENCES {
        let text = corpus(sentence);
        assert!(is_nfc(text.as_bytes()) && icu.is_normalized_utf8(text.as_bytes()));
        group.bench_with_input(BenchmarkId::new("axilog", name), &text, |b, text| {
            b.iter(|| is_nfc(black_box(text.as_bytes())));
        });
        group.bench_with_input(BenchmarkId::new("icu", name), &text, |b, text| {
            b.iter(|| icu.is_normalized_utf8(black_box(text.as_bytes())));
        });
    }
}

fn admission(c: &mut Criterion) {
    let mut group = c.benchmark_group("check");
    group.throughput(Throughput::Bytes(SIZE as u64));
    for (name, sentence) in SENTENCES {
        let text = corpus(sentence);
        group.bench_with_input(BenchmarkId::new("axilog", name), &text, |b, text| {
            b.iter(|| Text::check(black_box(text.as_bytes()), true).map(|t| t.len()));
        });
    }
    let windows = corpus(SENTENCES[0].1).replace(".\n", "\r\n");
    group.bench_with_input("axilog/ascii-crlf", &windows, |b, text| {
        b.iter(|| Text::check(black_box(text.as_bytes()), true).map(|t| t.len()));
    });
    let (from, mut to) = (corpus(SENTENCES[0].1), vec![0; SIZE]);
    group.bench_function("memcpy", |b| {
        b.iter(|| {
            to.copy_from_slice(black_box(from.as_bytes()));
            black_box(&mut to);
        });
    });
}

fn ratios() {
    let icu = ComposingNormalizerBorrowed::new_nfc();
    for (name, sentence) in SENTENCES {
        let text = corpus(sentence);
        ratio(
            &format!("icu_normalizer / is_nfc, 16 KiB {name}"),
            ">= 1",
            || {
                black_box(icu.is_normalized_utf8(black_box(text.as_bytes())));
            },
            || {
                black_box(is_nfc(black_box(text.as_bytes())));
            },
        );
    }
}

criterion_group!(benches, normal_form, admission);

fn main() {
    benches();
    ratios();
    Criterion::default().configure_from_args().final_summary();
}
