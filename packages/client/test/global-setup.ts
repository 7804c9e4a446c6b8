import { startProgram } from '@hitherto/testing/program';
import type { TestProject } from 'vitest/node';

/** One program for the test files that need no account of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { baseUrl, key, stop } = await startProgram();
  project.provide('program', { baseUrl, key });
  return stop;
}

declare module 'vitest' {
  export interface ProvidedContext {
    program: { readonly baseUrl: string; readonly key: string };
  }
}
