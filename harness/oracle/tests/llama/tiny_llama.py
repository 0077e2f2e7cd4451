#!/usr/bin/env python3
"""Writes a tiny language model with random weights, and serves it with llama.cpp's server.

    tiny_llama.py make MODEL.gguf [--seed N]
    tiny_llama.py serve MODEL.gguf PORT [--name NAME] [--grammar FILE] [--key KEY]

The model is a llama with two layers, 64 wide, and a vocabulary of single bytes. Its file has about 520 kB and
is written in a moment; another seed gives other weights. The model babbles; where a grammar holds it, in a
request or as the server's default, it writes what the grammar allows. Byte for byte the same at temperature 0.

The server answers /health when it is ready. It ends when its standard input does, so that no server outlives
the test that started it.
"""

import argparse
import sys

WIDTH = 64
LAYERS = 2
HEADS = 4
HIDDEN = 128
CONTEXT = 32768

CHAT = (
    "{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}\n"
    "{% endfor %}[assistant] "
)

# The types of tokens in a GGUF file.
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6


def vocabulary():
    """The text, type and score of each token: three special ones, every byte, every visible character."""
    special = [(b"<unk>", UNKNOWN, 0.0), (b"<s>", CONTROL, 0.0), (b"</s>", CONTROL, 0.0)]
    single_bytes = [(b"<0x%02X>" % byte, BYTE, 0.0) for byte in range(256)]
    # A space is written as U+2581 in this kind of vocabulary.
    characters = ["\u2581".encode()] + [bytes([byte]) for byte in range(33, 127)]
    visible = [(text, NORMAL, -1.0 - place) for place, text in enumerate(characters)]
    return special + single_bytes + visible


def make(path, seed):
    import gguf
    import numpy

    tokens = vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny-random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(0)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _, _ in tokens])
    writer.add_token_types([kind for _, kind, _ in tokens])
    writer.add_token_scores([score for _, _, score in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_chat_template(CHAT)

    random = numpy.random.default_rng(seed)

    def matrix(rows, columns):
        return (random.standard_normal((rows, columns)) * 0.3).astype(numpy.float32)

    def ones():
        return numpy.ones(WIDTH, numpy.float32)

    writer.add_tensor("token_embd.weight", matrix(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", ones())
    writer.add_tensor("output.weight", matrix(len(tokens), WIDTH))
    for layer in range(LAYERS):
        shapes = {
            "attn_q": (WIDTH, WIDTH),
            "attn_k": (WIDTH, WIDTH),
            "attn_v": (WIDTH, WIDTH),
            "attn_output": (WIDTH, WIDTH),
            "ffn_gate": (HIDDEN, WIDTH),
            "ffn_up": (HIDDEN, WIDTH),
            "ffn_down": (WIDTH, HIDDEN),
        }
        for name, shape in shapes.items():
            writer.add_tensor(f"blk.{layer}.{name}.weight", matrix(*shape))
        writer.add_tensor(f"blk.{layer}.attn_norm.weight", ones())
        writer.add_tensor(f"blk.{layer}.ffn_norm.weight", ones())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(options):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.model_alias = {options.name}
    params.port = options.port
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.warmup = False
    params.cpuparams.n_threads = 1
    if options.key:
        params.api_keys = [options.key]
    if options.grammar:
        with open(options.grammar, encoding="utf-8") as file:
            text = file.read()
        grammar = params.sampling.grammar
        grammar.type = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
        grammar.grammar = text
        params.sampling.grammar = grammar
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("model")
    making.add_argument("--seed", type=int, default=7)
    serving = commands.add_parser("serve")
    serving.add_argument("model")
    serving.add_argument("port", type=int)
    serving.add_argument("--name", default="tiny")
    serving.add_argument("--grammar")
    serving.add_argument("--key")
    options = parser.parse_args()
    if options.command == "make":
        make(options.model, options.seed)
    else:
        serve(options)


if __name__ == "__main__":
    main()
