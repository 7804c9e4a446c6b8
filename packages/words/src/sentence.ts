/**
 * A sentence with parts that are more than text, such as links: components pass what makes a part, and show the result as their
 * children. `signInIfYours: (link) => ['If it is yours, ', link('sign in'), '.']`
 */
export type Sentence<Part> = readonly (string | Part)[];

/** Makes a part of a sentence from its words. */
export type Make<Part> = (words: string) => Part;
