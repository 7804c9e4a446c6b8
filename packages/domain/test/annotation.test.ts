import { describe, expect, test } from 'vitest';
import { type AnnotationInput, parseAnnotationChanges, parseNewAnnotation } from '../src/annotations/annotation.ts';
import { faultsOf, named } from './faults.ts';

const FIELDS = { day: '2026-11-20', text: 'Version 2 released' };

describe('a new annotation', () => {
  test('is private unless it says otherwise', () => {
    expect(parseNewAnnotation(FIELDS)).toEqual({ ...FIELDS, isPublic: false });
    expect(parseNewAnnotation({ ...FIELDS, is_public: true })).toEqual({ ...FIELDS, isPublic: true });
  });

  test('has a text of 1 to 200 characters, whatever their bytes, without spaces at its ends', () => {
    expect(parseNewAnnotation({ ...FIELDS, text: ` ${'🦊'.repeat(200)}\n` }).text).toBe('🦊'.repeat(200));
  });

  test.each<[string, AnnotationInput, string[]]>([
    ['without fields', {}, ['day required', 'text required']],
    ['with undefined fields', { day: undefined, text: undefined }, ['day required', 'text required']],
    ['of blanks', { day: '', text: ' \n ' }, ['day required', 'text required']],
    ['of a day that does not exist', { ...FIELDS, day: '2026-02-30' }, ['day not_allowed']],
    ['of a time', { ...FIELDS, day: '2026-11-20T12:00' }, ['day not_allowed']],
    ['with 201 characters', { ...FIELDS, text: 'x'.repeat(201) }, ['text too_long']],
    ['with two lines', { ...FIELDS, text: 'a\nb' }, ['text not_allowed']],
    ['with a NUL', { ...FIELDS, text: 'a\0b' }, ['text not_allowed']],
    ['with a lone surrogate', { ...FIELDS, text: 'a\ud800' }, ['text not_allowed']],
  ])('%s is rejected with every fault', (_, input, faults) => {
    expect(named(faultsOf(() => parseNewAnnotation(input)))).toEqual(faults);
  });
});

describe('changes to an annotation', () => {
  test('have only the fields that were sent', () => {
    expect(parseAnnotationChanges({})).toEqual({});
    expect(parseAnnotationChanges({ is_public: false })).toEqual({ isPublic: false });
    expect(parseAnnotationChanges({ text: ' a ' })).toEqual({ text: 'a' });
  });

  test('cannot clear the day or the text', () => {
    expect(named(faultsOf(() => parseAnnotationChanges({ day: '', text: '' })))).toEqual([
      'day required',
      'text required',
    ]);
  });
});
