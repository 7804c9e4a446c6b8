#!/usr/bin/env node
import { endAsFirstProcess } from './cli/end-as-first-process.ts';
import { endWithNpm } from './cli/end-with-npm.ts';

// Loading the program takes longer than this file.
endAsFirstProcess();
endWithNpm(process.env);
await import('./program.ts');
