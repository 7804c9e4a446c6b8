// Runs Hitherto from the sources: builds it if it is out of date, then becomes the program.
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';

const npm = process.ppid;
const main = await build();
// If npm was killed meanwhile, nobody could stop the program.
if (process.ppid !== npm) process.exit(1);
await import(pathToFileURL(main).href);
