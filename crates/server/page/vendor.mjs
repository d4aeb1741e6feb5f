// Fetches what the page needs from npm into `vendor/`, with the licences: node crates/server/page/vendor.mjs
// The versions and their hashes are pinned here; what comes out is checked in, so that nobody needs this
// to build.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGES = [
  { name: "marked", version: "18.2.1", from: "lib/marked.esm.js", to: "marked.js", licence: "LICENSE" },
  { name: "dompurify", version: "3.4.18", from: "dist/purify.es.mjs", to: "purify.js", licence: "LICENSE" },
  {
    name: "@highlightjs/cdn-assets",
    version: "11.12.0",
    from: "es/highlight.min.js",
    to: "highlight.js",
    licence: "LICENSE",
  },
];

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "bessemer-vendor-"));
try {
  const licences = [];
  for (const { name, version, from, to, licence } of PACKAGES) {
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--silent", `${name}@${version}`], { cwd: folder }),
    );
    execFileSync("tar", ["xzf", packed.filename], { cwd: folder });
    const inside = join(folder, "package");
    // Maps are not there, and a browser would look for them.
    const code = readFileSync(join(inside, from), "utf8").replace(/\n?\/\/# sourceMappingURL=.*\n?$/, "\n");
    writeFileSync(join(here, "vendor", to), code);
    licences.push(`${name} ${version}\n\n${readFileSync(join(inside, licence), "utf8").trim()}\n`);
    rmSync(inside, { recursive: true });
    console.log(`${name} ${version} → vendor/${to} (${packed.integrity})`);
  }
  writeFileSync(join(here, "vendor", "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
} finally {
  rmSync(folder, { recursive: true });
}
