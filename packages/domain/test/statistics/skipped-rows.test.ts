import { localeOf } from '@hitherto/words';
import { expect, it } from 'vitest';
import { storedText, tellStored } from '../../src/base/stored-text.ts';
import { countSkipped } from '../../src/imports/skipped-rows.ts';

const GERMAN = localeOf('de').words;

it('an example of rows that are left out is cut, and has no character that cannot be stored', () => {
  const skipped = countSkipped();

  skipped.add('faulty', { line: 1 }, storedText('unknownField', '\0\ud83d'));
  skipped.add('not_counted', { line: 22 }, storedText('actionType', '🦊'.repeat(300)));

  const [faulty, notCounted] = skipped.result();
  expect(faulty?.example).toBe('line 1: The field "\ufffd\ufffd" is unknown.');
  expect(notCounted?.example).toMatch(/^line 22: Actions of the type 🦊+\ufffd?$/u);
  expect(notCounted?.example).toHaveLength(300);
  expect(JSON.stringify(notCounted?.text)).not.toMatch(/[\0\p{Cs}]/u);
  expect(JSON.stringify(notCounted?.text).length).toBeLessThan(1_000);
});

it('an example is told in other languages, with the place of its row', () => {
  const skipped = countSkipped();

  skipped.add('faulty', { file: 'hits.jsonl', line: 4 }, storedText('noField', 'visitor'));
  skipped.add('not_counted', { visit: 2, action: 3 }, storedText('actionType', 'goal'));

  expect(skipped.result().map(({ text, example }) => tellStored(text, GERMAN, example))).toEqual([
    'hits.jsonl, Zeile 4: „visitor“ fehlt.',
    'Besuch 2, Aktion 3: Aktionen der Art goal werden nicht gezählt.',
  ]);
});

it('a text that this version does not have is told in English, as it was stored', () => {
  const of = (name: string) => ({
    name: 'at',
    values: [
      { name: 'line', values: [4] },
      { name, values: [] },
    ],
  });

  for (const name of ['of a later version', 'constructor', '__proto__']) {
    expect(tellStored(of(name), GERMAN, 'line 4: It is so.')).toBe('line 4: It is so.');
  }
  expect(tellStored(undefined, GERMAN, 'line 4: It is so.')).toBe('line 4: It is so.');
});
