import { de } from './de.ts';
import { en, type Words } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import type { Language } from './languages.ts';

/** The words of each language. */
export const WORDS: Readonly<Record<Language, Words>> = { en, de, fr, es };
