// Lets Dawn, the WebGPU of Chromium, judge what bessemer would ask of it. Nothing runs: Dawn's null
// back end compiles and checks like any other, and needs no GPU.
//
//   node judge.mjs RECORD        RECORD is what the example `wgsl_modules` of bessemer-webgpu writes
//
// Prints each fault, then one line of counts per profile; fails if there was any fault.
import { readFileSync } from "node:fs";
import { create, globals } from "webgpu";

Object.assign(globalThis, globals);

const records = JSON.parse(readFileSync(process.argv[2], "utf8"));
const gpu = create(["backend=null"]);

/** The first line that says what is wrong, and where. */
function firstError(info, text) {
  const error = info.messages.find((message) => message.type === "error");
  if (!error) return null;
  const line = text.split("\n")[error.lineNum - 1] ?? "";
  return `${error.message.split("\n")[0]}\n      line ${error.lineNum}: ${line.trim()}`;
}

/** Runs `ask`, and tells what Dawn has to say against it. */
async function fault(device, ask) {
  device.pushErrorScope("validation");
  const made = ask();
  const error = await device.popErrorScope();
  return [made, error && error.message.split("\n")[0]];
}

function layoutOf(device, module) {
  const types = module.writes.map((writes) => (writes ? "storage" : "read-only-storage"));
  if (module.params) types.push("uniform");
  const visibility = GPUShaderStage.COMPUTE;
  const entries = types.map((type, binding) => ({ binding, visibility, buffer: { type } }));
  return device.createBindGroupLayout({ entries });
}

async function compile(device, module) {
  const [compiled] = await fault(device, () => device.createShaderModule({ code: module.text }));
  const error = firstError(await compiled.getCompilationInfo(), module.text);
  if (error) return { error };
  // Made for adapters with more than the null back end has: the text is all that can be judged here.
  if (module.writes.length > device.limits.maxStorageBuffersPerShaderStage) return { larger: true };
  const [made, why] = await fault(device, () => {
    const layout = layoutOf(device, module);
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: compiled, entryPoint: module.entry, constants: module.constants },
    });
    return { layout, pipeline };
  });
  return why ? { error: why } : made;
}

/** Binds and encodes a launch as it would be submitted; what is wrong with that, if anything. */
async function bind(device, launch, { layout, pipeline }) {
  const sizes = [];
  for (const { buffer, size } of launch.bindings) sizes[buffer] = Math.max(sizes[buffer] ?? 0, size);
  const buffers = [];
  const [, why] = await fault(device, () => {
    for (const size of sizes) {
      buffers.push(device.createBuffer({ size, usage: GPUBufferUsage.STORAGE }));
    }
    const entries = launch.bindings.map(({ buffer, offset, length }, binding) => {
      return { binding, resource: { buffer: buffers[buffer], offset, size: length } };
    });
    if (launch.params > 0) {
      const size = Math.ceil(launch.params / 16) * 16;
      const buffer = device.createBuffer({ size, usage: GPUBufferUsage.UNIFORM });
      buffers.push(buffer);
      entries.push({ binding: entries.length, resource: { buffer } });
    }
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
    pass.dispatchWorkgroups(...launch.groups);
    pass.end();
    encoder.finish();
  });
  for (const buffer of buffers) buffer.destroy();
  return why;
}

async function open(record) {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error("Dawn has no null back end here");
  return adapter.requestDevice({ requiredFeatures: record.features });
}

let faults = 0;
function tell(record, op, kernel, what) {
  faults += 1;
  console.log(`  ${record.name} (${record.source}): ${op}, ${kernel}: ${what}`);
}

// What every browser refuses: if this Dawn takes it, it judges nothing.
const hopeless = {
  name: "a barrier that not all threads reach",
  module: `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if x[i] > 0u { workgroupBarrier(); }
}`,
};
const unannounced = {
  name: "subgroups that were not enabled",
  module: `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn main() { x[0] = subgroupAdd(1u); }`,
};
const aliasing = `@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) { a[i] = b[i]; }`;

async function checkTheJudge() {
  const device = await open({ features: ["subgroups"] });
  const of = (text, writes) => ({ text, entry: "main", constants: {}, writes, params: false });
  const taken = [];
  for (const { name, module } of [hopeless, unannounced]) {
    if (!(await compile(device, of(module, [true]))).error) taken.push(name);
  }
  const made = await compile(device, of(aliasing, [true, true]));
  if (made.error) throw new Error(`Dawn refuses a sound module: ${made.error}`);
  const launch = (offset) => ({
    bindings: [0, offset].map((offset) => ({ buffer: 0, size: 1024, offset, length: 512 })),
    params: 0,
    groups: [1, 1, 1],
  });
  if (!(await bind(device, launch(256), made))) taken.push("bytes that are bound twice");
  const apart = await bind(device, launch(512), made);
  if (apart) throw new Error(`Dawn refuses a sound launch: ${apart}`);
  device.destroy();
  if (taken.length > 0) throw new Error(`this Dawn takes ${taken.join(", and ")}`);
}

await checkTheJudge();
const counts = [];
for (const record of records) {
  const device = await open(record);
  // Texts are often the same for different bindings or numbers: each is compiled once.
  const known = new Map();
  const pipelines = [];
  let refused = 0;
  for (const module of record.modules) {
    const { text, entry, constants, writes } = module;
    const key = JSON.stringify([text, entry, constants, writes]);
    if (!known.has(key)) {
      const made = await compile(device, module);
      if (made.error) {
        refused += 1;
        tell(record, module.op, module.kernel, made.error);
      }
      known.set(key, made);
    }
    pipelines.push(known.get(key));
  }
  let [launches, unbound, larger] = [0, 0, 0];
  for (const launch of record.launches) {
    launches += launch.times;
    const made = pipelines[launch.module];
    if (made.larger) larger += launch.times;
    const why = launch.refused ?? (made.pipeline ? await bind(device, launch, made) : null);
    if (why) {
      unbound += launch.times;
      tell(record, launch.op, record.modules[launch.module].kernel, why);
    }
  }
  device.destroy();
  counts.push(
    `${record.name}, ${record.source}: ${known.size} modules, ${refused} refused; ` +
      `${launches} launches, ${unbound} refused` +
      (larger > 0 ? `, ${larger} bind more buffers than Dawn's null back end has` : ""),
  );
}
for (const line of counts) console.log(line);
process.exit(faults > 0 ? 1 : 0);
