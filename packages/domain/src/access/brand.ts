/** How the public pages and the mails of an account look (sharing.md, "Your own look"). */
export interface Brand {
  /** Next to the logo; `null` for none. */
  readonly name: string | null;
  /** `#rrggbb` on light pages; `null` for that of the product. */
  readonly accent: string | null;
  /** The name of the logo; `null` for none. */
  readonly logo: string | null;
}

export const NO_BRAND: Brand = { name: null, accent: null, logo: null };
