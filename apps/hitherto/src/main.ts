#!/usr/bin/env node
import { endAsFirstProcess } from './cli/end-as-first-process.ts';
import { endWithNpm } from './cli/end-with-npm.ts';
import { showSourcePositions } from './cli/source-positions.ts';

// Loading the program takes longer than this file.
endAsFirstProcess();
endWithNpm(process.env);
showSourcePositions();
await import('./program.ts');
