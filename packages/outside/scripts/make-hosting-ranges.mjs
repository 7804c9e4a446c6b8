// Prints lists/hosting-ranges.txt, the addresses of the autonomous systems in lists/hosting-systems.tsv:
//   node scripts/make-hosting-ranges.mjs > lists/hosting-ranges.txt
// Each line is the first and the last address of a range, in hexadecimal digits: 8 of IPv4, 16 of the first half of IPv6. Ranges
// are in order.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = '@ip-location-db/asn@2.3.2026061719';
const INTEGRITY = 'sha512-PpqYi7wyEyWwunXBtl+y3Vi403SvNywotWwvmiYCOUtE0SVol/Sf492Ee+eErEznmGapxEQB2SAfrpXuZ9a+vQ==';

const systems = new Set(
  readFileSync(new URL('../lists/hosting-systems.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[0]),
);
const folder = mkdtempSync(join(tmpdir(), 'asn-'));
try {
  const npm = (/** @type {string[]} */ ...args) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
  const [{ filename, integrity }] = JSON.parse(npm('pack', PACKAGE, '--json', '--silent'));
  if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} has changed.`);
  execFileSync('tar', ['-xzf', filename], { cwd: folder });
  print('asn-ipv4-num.csv', 0n, 8);
  print('asn-ipv6-num.csv', 64n, 16);
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * Prints the ranges of a file, whose lines are: first address, last address, number of the system, its name.
 *
 * @param {string} file
 * @param {bigint} dropped how many of the last bits of an address are left out
 * @param {number} digits
 */
function print(file, dropped, digits) {
  /** @type {[bigint, bigint][]} */
  const ranges = [];
  for (const line of readFileSync(join(folder, 'package', file), 'utf8').split('\n')) {
    const [first, last, system] = line.split(',', 3);
    if (!systems.has(system)) continue;
    const range = [BigInt(first) >> dropped, BigInt(last) >> dropped];
    const before = ranges.at(-1);
    if (before !== undefined && range[0] <= before[1] + 1n) before[1] = range[1] > before[1] ? range[1] : before[1];
    else ranges.push(range);
  }
  for (const [first, last] of ranges) {
    const [from, to] = [first, last].map((address) => address.toString(16).padStart(digits, '0'));
    process.stdout.write(`${from} ${to}\n`);
  }
}
