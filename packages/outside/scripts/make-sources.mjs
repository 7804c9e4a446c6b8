// Prints lists/sources.tsv, made from the lists next to it:
//   node scripts/make-sources.mjs > lists/sources.tsv
// Each line is a channel, a name, and a host or package with an optional path. Of two lines for the same host and path the
// first one counts, and so only that one is printed.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** In order of precedence (counting.md). */
const CHANNELS = ['AI assistants', 'Video', 'Social', 'Search'];

const read = (/** @type {string} */ name) => parse(readFileSync(new URL(`../lists/${name}`, import.meta.url), 'utf8'));
const { add, video, rename, drop } = read('supplement.yml');
const socials = Object.entries(read('Socials.yml'));
const engines = Object.entries(read('SearchEngines.yml')).map(([name, entries]) => [
  name,
  entries.flatMap((/** @type {{ urls: string[] }} */ { urls }) => urls),
]);

/** @type {Record<string, [string, string[]][]>} */
const listed = {
  'AI assistants': Object.entries(read('AIAssistants.yml')),
  Video: socials.filter(([name]) => video.includes(name)),
  Social: socials.filter(([name]) => !video.includes(name)),
  Search: engines,
};

const dropped = new Set(drop);
const seen = new Set();
for (const channel of CHANNELS) {
  for (const [name, entries] of [...Object.entries(add[channel]), ...listed[channel]]) {
    for (const entry of entries) {
      const key = entry.replace(/^www\./, '').replace(/\/$/, '');
      if (dropped.delete(entry) || seen.has(key)) continue;
      seen.add(key);
      process.stdout.write(`${channel}\t${rename[name] ?? decodeURIComponent(name)}\t${key}\n`);
    }
  }
}
if (dropped.size > 0) throw new Error(`The lists no longer have ${[...dropped].join(', ')}: do not drop them.`);
