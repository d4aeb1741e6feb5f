"""The llama.cpp side of `cargo xtask bench models`.

Reads one request per line, as JSON, and answers each with one line. The other side decides what
is measured and when, so that rounds of both alternate; `src/ours.rs` answers the same requests
with bessemer.
"""

import ctypes
import json
import sys
import time

import llama_cpp as llama
import numpy as np

# Its log would mix with the answers.
QUIET = llama.llama_log_callback(lambda level, text, data: None)


class Text:
    """A model with one text in progress."""

    def __init__(self, file, context, threads, cache="f16", exact=False, layers=0):
        start = time.perf_counter()
        params = llama.llama_model_default_params()
        params.n_gpu_layers = layers
        self.model = llama.llama_model_load_from_file(file.encode(), params)
        if not self.model:
            raise RuntimeError(f"llama.cpp cannot load {file}")
        self.vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(self.model))
        params = llama.llama_context_default_params()
        params.n_ctx = context
        params.n_batch = params.n_ubatch = 512
        params.n_threads = params.n_threads_batch = threads
        if exact:
            params.type_k = params.type_v = llama.GGML_TYPE_F32
            params.flash_attn_type = llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self.context = llama.llama_init_from_model(self.model, params)
        self.batch = llama.llama_batch_init(512, 0, 1)
        self.length = 0
        self.seconds = time.perf_counter() - start

    def clear(self):
        llama.llama_memory_clear(llama.llama_get_memory(self.context), False)
        self.length = 0

    def extend(self, tokens, every=False):
        """Takes tokens through the model; gives the logits after the last, or after each."""
        rows = []
        for start in range(0, len(tokens), 512):
            chunk = tokens[start : start + 512]
            self.batch.n_tokens = len(chunk)
            for i, token in enumerate(chunk):
                self.batch.token[i] = token
                self.batch.pos[i] = self.length + i
                self.batch.n_seq_id[i] = 1
                self.batch.seq_id[i][0] = 0
                self.batch.logits[i] = every or start + i + 1 == len(tokens)
            if llama.llama_decode(self.context, self.batch):
                raise RuntimeError("llama_decode failed")
            self.length += len(chunk)
            if every:
                rows += [self.logits(i).copy() for i in range(len(chunk))]
        return np.stack(rows) if every else self.logits(-1)

    def logits(self, row):
        found = llama.llama_get_logits_ith(self.context, row)
        return np.ctypeslib.as_array(found, (self.vocabulary,))

    def prefill(self, tokens):
        self.clear()
        start = time.perf_counter()
        self.extend(tokens)
        return {"seconds": time.perf_counter() - start}

    def decode(self, count):
        """Goes on with the likeliest token, from the logits that are there."""
        logits, tokens = self.logits(-1), []
        start = time.perf_counter()
        for _ in range(count):
            tokens.append(int(logits.argmax()))
            logits = self.extend(tokens[-1:])
        return {"seconds": time.perf_counter() - start, "tokens": tokens}

    def last_logits(self, tokens):
        self.clear()
        return {"logits": self.extend(tokens).tolist()}

    def losses(self, tokens):
        """How surprising the second half of the tokens is, in nats, summed."""
        first = len(tokens) // 2 + 1
        self.clear()
        rows = self.extend(tokens, every=True)[first - 1 : -1].astype(np.float64)
        rows -= rows.max(axis=1, keepdims=True)
        logs = rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))
        wanted = logs[np.arange(len(logs)), tokens[first:]]
        return {"sum": float(-wanted.sum()), "count": len(wanted)}


def quantize(source, to, kind):
    params = llama.llama_model_quantize_default_params()
    params.ftype = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 7, "Q4_K_M": 15, "Q4_K_S": 14}[kind]
    params.allow_requantize = True
    params.pure = kind == "Q4_K_S"
    failed = llama.llama_model_quantize(source.encode(), to.encode(), ctypes.byref(params))
    if failed:
        raise RuntimeError(f"llama.cpp cannot make {to}")
    return {}


def memory(name):
    """Bytes of this process: `VmRSS`, now, or `VmHWM`, at most. (`getrusage` counts its parent's in.)"""
    with open("/proc/self/status") as status:
        (line,) = (line for line in status if line.startswith(name + ":"))
    return int(line.split()[1]) * 1024


def answer(state, request):
    (name, arguments), = request.items()
    if name == "open":
        state["text"] = Text(**arguments)
        return {"seconds": state["text"].seconds}
    if name == "tokenize":
        text = state["text"]
        vocab = llama.llama_model_get_vocab(text.model)
        bytes_ = arguments["text"].encode()
        room = (llama.llama_token * (len(bytes_) + 8))()
        count = llama.llama_tokenize(vocab, bytes_, len(bytes_), room, len(room), False, False)
        return {"tokens": list(room[:count])}
    if name == "quantize":
        return quantize(**arguments)
    if name == "memory":
        return {"bytes": memory("VmRSS")}
    if name == "peak_memory":
        return {"bytes": memory("VmHWM")}
    return getattr(state["text"], name)(**arguments)


def main():
    llama.llama_log_set(QUIET, ctypes.c_void_p(0))
    llama.llama_backend_init()
    state = {}
    print(json.dumps({"version": f"llama-cpp-python {llama.__version__}"}), flush=True)
    for line in sys.stdin:
        try:
            found = answer(state, json.loads(line))
        except Exception as error:
            found = {"error": str(error)}
        print(json.dumps(found), flush=True)


main()
