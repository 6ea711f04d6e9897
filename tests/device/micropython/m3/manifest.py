include("$(MPY_DIR)/extmod/asyncio")
module("aioscope.py", base_path="../../../../src/device/micropython", opt=0)
module("m3_bench.py", opt=0)
package("aioscope_py", base_path="../../../../src/device/micropython", opt=0)
