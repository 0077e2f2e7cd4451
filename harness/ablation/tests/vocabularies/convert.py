"""Writes the tokenizer.json of vocabularies that are published in other forms.

    convert.py sentencepiece MODEL OUT    Mistral's tokenizer.model, as its first version applies it
    convert.py metaspace MODEL OUT        the same form, as Mistral's third version applies it
    convert.py wordpiece VOCABULARY OUT   BERT's list of words, all in small letters
"""

import json
import pathlib
import sys

# The numbers of fields in SentencePiece's ModelProto, and in the pieces that it lists.
PIECES, TEXT = 1, 1


def read_fields(data):
    """The fields of a message of Protocol Buffers: number and value."""
    at = 0

    def read_number():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    while at < len(data):
        key = read_number()
        number, kind = key >> 3, key & 7
        if kind == 0:
            yield number, read_number()
            continue
        size = {1: 8, 5: 4}.get(kind) or read_number()
        yield number, data[at : at + size]
        at += size


def convert_sentence_piece(data, is_first_version):
    pieces = [dict(read_fields(piece))[TEXT].decode() for number, piece in read_fields(data) if number == PIECES]
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
    # A piece is joined from any two pieces that make it up, those that are listed first before others.
    merges = []
    for piece in pieces:
        splits = [(piece[:at], piece[at:]) for at in range(1, len(piece))]
        known = [pair for pair in splits if pair[0] in vocabulary and pair[1] in vocabulary]
        merges += sorted(known, key=lambda pair: (vocabulary[pair[0]], vocabulary[pair[1]]))
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    prepend = {"type": "Prepend", "prepend": "▁"}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    return describe(
        {"type": "Sequence", "normalizers": [prepend, spaces]} if is_first_version else None,
        None if is_first_version else metaspace,
        {
            "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": vocabulary,
            "merges": merges,
        },
    )


def convert_words(words):
    lower_case = {
        "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
        "lowercase": True,
    }
    # The list has SentencePiece's sign where BERT's has none, and "##" where it has nothing.
    words = [word[1:] if len(word) > 1 and word[0] == "▁" else word if word[0] == "[" else "##" + word for word in words]
    return describe(lower_case, {"type": "BertPreTokenizer"}, {
        "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100, "vocab": {word: place for place, word in enumerate(words)},
    })


def describe(normalizer, pre_tokenizer, model):
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": None, "decoder": None, "model": model,
    }


def main(form, source, out):
    data = pathlib.Path(source).read_bytes()
    if form == "wordpiece":
        converted = convert_words(json.loads(data))
    else:
        converted = convert_sentence_piece(data, form == "sentencepiece")
    pathlib.Path(out).write_text(json.dumps(converted), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
