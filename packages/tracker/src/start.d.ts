/** Runs the tracker as if this element had loaded it. */
export declare function start(script: { readonly src: ''; readonly dataset: Readonly<Record<string, string>> }): {
  /** Counts the page, unless it is the one that was counted last. */
  readonly countPage: () => void;
  readonly track: (name: string, props?: Readonly<Record<string, string | number | boolean>>) => void;
};
