#!/usr/bin/env python3
"""Writes the traces of this example: 16 ranks of a small model with tp=2, dp=2 and pp=4, one training step of
four micro-batches, as PyTorch's ExecutionTraceObserver records it (schema 1.1.1), shortened to its communication.

usage: make_traces.py FOLDER
"""
import json
import pathlib
import sys

TP, DP, PP = 2, 2, 4
MICRO_BATCHES, LAYERS = 4, 2          # of each stage
ACTIVATION = 4096 * 2048              # elements of bf16: one micro-batch of 4,096 tokens
GRADIENTS = 150_000_000               # elements of fp32 that one rank reduces


def rank_of(tp, dp, pp):
    return tp + TP * (dp + DP * pp)


def groups():
    """Every group of the job: (name, description, ranks)."""
    found = [("0", "default_pg", [])]
    for pp in range(PP):
        found += [(None, "TENSOR_MODEL_PARALLEL_GROUP", [rank_of(tp, dp, pp) for tp in range(TP)]) for dp in range(DP)]
        found += [(None, "DATA_PARALLEL_GROUP", [rank_of(tp, dp, pp) for dp in range(DP)]) for tp in range(TP)]
    found += [(None, "PIPELINE_MODEL_PARALLEL_GROUP", [rank_of(tp, dp, pp) for pp in range(PP)])
              for dp in range(DP) for tp in range(TP)]
    return [(str(number), description, ranks) for number, (_, description, ranks) in enumerate(found)]


class Trace:
    def __init__(self, rank):
        self.rank = rank
        self.groups = {description: (name, ranks) for name, description, ranks in groups()
                       if not ranks or rank in ranks}
        described = [{"pg_name": name, "pg_desc": description, "backend_config": "cuda:nccl", "ranks": ranks,
                      "group_size": len(ranks) or TP * DP * PP, "group_count": len(groups())}
                     for description, (name, ranks) in self.groups.items()]
        self.nodes = []
        self.add("## process_group:init ##", [json.dumps(described)], [])

    def add(self, name, inputs, outputs):
        self.nodes.append({"id": len(self.nodes) + 2, "name": name, "ctrl_deps": 1,
                           "inputs": {"values": inputs}, "outputs": {"values": outputs}})

    def call(self, name, group, elements, size, position=0):
        number, ranks = self.groups[group]
        tensor = [3, 4, 0, elements, size, f"cuda:{self.rank % 2}"]
        count = len(ranks) or TP * DP * PP
        self.add("record_param_comms",
                 [[tensor], len(self.nodes), [number, group], position, name, [], [], -1, -1, count], [[tensor]])

    def step(self, pp):
        group = "PIPELINE_MODEL_PARALLEL_GROUP"
        for _ in range(MICRO_BATCHES):
            if pp > 0:
                self.call("recv", group, ACTIVATION, 2, pp - 1)
            for _ in range(4 * LAYERS):
                self.call("allreduce", "TENSOR_MODEL_PARALLEL_GROUP", ACTIVATION, 2)
            if pp < PP - 1:
                self.call("send", group, ACTIVATION, 2, pp + 1)
                self.call("recv", group, ACTIVATION, 2, pp + 1)
            if pp > 0:
                self.call("send", group, ACTIVATION, 2, pp - 1)
        self.call("allreduce", "DATA_PARALLEL_GROUP", GRADIENTS, 4)
        self.call("allreduce", "default_pg", 1, 4)
        self.call("barrier", "default_pg", 1, 1)

    def text(self):
        lines = ",\n".join("    " + json.dumps(node) for node in self.nodes)
        return f'{{\n  "schema": "1.1.1-chakra.0.0.4", "pid": 1,\n  "nodes": [\n{lines}\n  ]\n}}\n'


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for pp in range(PP):
        for dp in range(DP):
            for tp in range(TP):
                trace = Trace(rank_of(tp, dp, pp))
                trace.step(pp)
                (folder / f"step.{trace.rank}.json").write_text(trace.text(), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
