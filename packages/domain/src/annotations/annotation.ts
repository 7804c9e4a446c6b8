import { DomainError, type Fault, InvalidFields, inWords } from '../base/errors.ts';
import { type Day, isDay } from '../calendar/days.ts';

/** A note about a day of a website, which its chart marks (api.md, "Annotations"). */
export interface Annotation {
  /** UUIDv7, lower case. */
  readonly id: string;
  /** Of the website's time zone. */
  readonly day: Day;
  readonly text: string;
  /** Whether everyone who sees the statistics sees it; otherwise only the owner does. */
  readonly isPublic: boolean;
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond, so it is also the annotation's version. */
  readonly updatedAt: Date;
}

/** The fields that the owner sets. */
export type AnnotationFields = Pick<Annotation, 'day' | 'text' | 'isPublic'>;

/** Unchecked input for an annotation, with the names of the API. An absent field sets nothing. */
export interface AnnotationInput {
  readonly day?: string | undefined;
  readonly text?: string | undefined;
  readonly is_public?: boolean | undefined;
}

/** The most annotations that a website has. */
export const MAX_ANNOTATIONS = 2_000;

const MAX_TEXT_LENGTH = 200;

/** Checks the input for a new annotation, which is private unless it says otherwise. Throws `InvalidFields` with every fault. */
export function parseNewAnnotation(input: AnnotationInput): AnnotationFields {
  const { day = '', text = '', isPublic = false } = readFields({ day: '', text: '', ...defined(input) });
  return { day, text, isPublic };
}

/** Checks changes to an annotation. Throws `InvalidFields` with every fault. */
export function parseAnnotationChanges(input: AnnotationInput): Partial<AnnotationFields> {
  return readFields(input);
}

function readFields({ day, text: sent, is_public: isPublic }: AnnotationInput): Partial<AnnotationFields> {
  const text = sent?.trim();
  const faults = [...(day === undefined ? [] : dayFaults(day)), ...(text === undefined ? [] : textFaults(text))];
  if (faults.length > 0) throw new InvalidFields(faults);
  return {
    ...(day === undefined ? {} : { day }),
    ...(text === undefined ? {} : { text }),
    ...(isPublic === undefined ? {} : { isPublic }),
  };
}

function dayFaults(day: string): Fault[] {
  const text = inWords(
    ({ faults }) => faults.day,
    'A day must be written as YYYY-MM-DD, such as 2026-11-20, from 1970 on.',
  );
  if (day === '') return [{ field: 'day', code: 'required', ...text }];
  return isDay(day) ? [] : [{ field: 'day', code: 'not_allowed', ...text }];
}

function textFaults(text: string): Fault[] {
  const told = inWords(({ faults }) => faults.text(MAX_TEXT_LENGTH));
  if (text === '') return [{ field: 'text', code: 'required', ...told }];
  if ([...text].length > MAX_TEXT_LENGTH) return [{ field: 'text', code: 'too_long', ...told }];
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text) ? [{ field: 'text', code: 'not_allowed', ...told }] : [];
}

/** The input without fields that are `undefined`, which would hide others. */
function defined(input: AnnotationInput): AnnotationInput {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

/** The website has as many annotations as it may have. */
export function tooManyAnnotations(): DomainError {
  const detail = `A website has at most ${MAX_ANNOTATIONS} annotations. Delete one first.`;
  return new DomainError('too_many_annotations', detail, { saying: ({ faults }) => faults.full(MAX_ANNOTATIONS) });
}
