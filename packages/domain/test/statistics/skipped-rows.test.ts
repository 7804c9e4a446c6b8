import { expect, it } from 'vitest';
import { countSkipped } from '../../src/imports/skipped-rows.ts';

it('an example of rows that are left out is cut, and has no character that cannot be stored', () => {
  const skipped = countSkipped();

  skipped.add('faulty', 'line 1', `The field "\0\ud83d" is unknown. ${'🦊'.repeat(300)}`);
  skipped.add('not_counted', 'line 22', '🦊'.repeat(300));

  const [faulty, notCounted] = skipped.result().map(({ example }) => example);
  expect(faulty).toMatch(/^line 1: The field "\ufffd\ufffd" is unknown. 🦊+\ufffd?$/u);
  expect(notCounted).toMatch(/^line 22: 🦊+\ufffd$/u);
  expect(notCounted).toHaveLength(300);
});
