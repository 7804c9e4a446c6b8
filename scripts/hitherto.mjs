// Runs Hitherto from the sources: builds what is out of date, then becomes the program.
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';

await import(pathToFileURL(build()).href);
