"""Tests of gpu_scaling.py with a small stand-in for blackfield: python3 -m unittest discover -s tools/compare"""

import contextlib
import io
import json
import unittest

import gpu_scaling
from fakes import Workshop

# A program that is as many times as fast as there are GPUs, but for its sigma-basis; every second round takes twice as long.
OURS = """
    import json, sys
    from pathlib import Path
    if "--version" in sys.argv: print("blackfield 0"); sys.exit()
    what, device = sys.argv[1], sys.argv[sys.argv.index("--device") + 1]
    devices = ["cuda:" + k for k in device.removeprefix("cuda:").split(",")]
    gpus = len(devices)
    assert sys.argv[sys.argv.index("--threads") + 1] == "16" and "--json" in sys.argv, sys.argv
    if what == "bench":
        if sys.argv[2] == "sigma-basis": print("no such bench", file=sys.stderr); sys.exit(2)
        assert gpus == 2, sys.argv
        rate = {"links": 2e11, "ranks": 5.0, "sequences": 1234.5}[sys.argv[2]]
        print(json.dumps({"results": [{"name": f"{sys.argv[2]} by {device}", "seconds": 0.5, "rate": rate, "unit": "units"}]})); sys.exit()
    if what == "permanent":
        print(json.dumps({"permanent": %(permanent)s, "path": [{"seconds": 9.0}, {"seconds": 4000.0 / gpus}]})); sys.exit()
    assert sys.argv[3:9] == ["-p", "65521", "--method", "wiedemann", "--block", "64"], sys.argv
    print(json.dumps({"rank": %(rank)s, "devices": %(devices)s, "seconds": 1005.0 + 1000.0 / gpus,
        "phases": {"read": 5.0, "sequence": 1000.0 / gpus, "sigma_basis": 1000.0, "plan": 0.0}}))
"""


class GpuScaling(Workshop):
    def tables(self, *options, rank="3", permanent='"12"', devices="devices"):
        ours = self.program("ours", OURS % {"rank": rank, "permanent": permanent, "devices": devices})
        out, err = io.StringIO(), io.StringIO()
        argv = ["--blackfield", str(ours), "--work", str(self.folder), "-n", "2", "--gpus", "1", "2", "--matrix", "planted-5-4-3-1", "--size", "5"]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = gpu_scaling.main([*argv, *options])
        return code, out.getvalue(), err.getvalue()

    def test_phases_and_how_much_sooner(self):
        output = self.folder / "out.json"
        code, text, errors = self.tables("--output", str(output))
        self.assertEqual(code, 0, errors)
        self.assertIn("| rank of planted-5-4-3-1, s = 64 | 1 GPU | 2 GPUs |", text)
        self.assertIn("| sequence | 1000 ×1.00 | 500 ×2.00 |", text)
        self.assertIn("| sigma_basis | 1000 ×1.00 | 1000 ×1.00 |", text)
        self.assertIn("| after reading | 2000 ×1.00 | 1500 ×1.33 |", text)
        self.assertIn("| sum | 4000 ×1.00 | 2000 ×2.00 |", text)
        self.assertNotIn("| plan |", text)
        self.assertIn("| links by cuda:0,1 | 0.500 | 200.0e9 | units |", text)
        self.assertIn("| sequences by cuda:0,1 | 0.500 | 1.23e+03 | units |", text)
        self.assertIn("| ranks by cuda:0,1 | 0.500 | 5 | units |", text)
        self.assertIn("sigma-basis, one GPU: not on GPUs", text)
        order = [line.split(", ")[1][0] for line in errors.splitlines() if line.startswith("round")]
        self.assertEqual(order, ["1", "2"] * 4)
        self.assertEqual(json.loads(output.read_text())["medians"]["permanent of half-5-1"]["2"]["sum"], 2000.0)

    def test_one_gpu_may_play_several(self):
        code, text, errors = self.tables("--ordinals", "3", "3")
        self.assertEqual(code, 0, errors)
        self.assertIn("| links by cuda:3,3 |", text)

    def test_wrong_answers_and_idle_gpus_are_seen(self):
        for options, words in (
            ({"rank": "4"}, "rank 4 instead of 3"),
            ({"permanent": "str(gpus)"}, "2 on 2 GPUs, 1 on 1"),
            ({"devices": "devices[:1]"}, "1 GPUs were used instead of 2"),
        ):
            code, text, errors = self.tables(**options)
            self.assertEqual((code, text), (1, ""))
            self.assertIn(words, errors)

    def test_wrong_usage(self):
        for options in (["--gpus", "0"], ["-n", "0"], ["--gpus", "4", "--ordinals", "0", "1"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                gpu_scaling.main(options)


if __name__ == "__main__":
    unittest.main()
