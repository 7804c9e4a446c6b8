import { expect, test } from 'vitest';
import { printList } from '../src/cli/print-list.ts';

test('a cell is on one line, and cannot steer a terminal', () => {
  let printed = '';
  const context = { print: (text: string) => (printed += text), tell: () => {} };

  printList(context, [{ name: 'é\u001b[31m\nforged\u009b2J\u202e', other: null }], false);

  expect(printed).toBe('name               other\né�[31m�forged�2J�  -\n');
});
