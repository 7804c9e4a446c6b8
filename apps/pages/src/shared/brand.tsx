import { type Brand, NO_BRAND } from '@hitherto/domain/access';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useLocale } from './locale.tsx';
import { Mark } from './mark.tsx';
import { logoPath } from './paths.ts';

const BrandContext = createContext<Brand>(NO_BRAND);

/** Gives a page the look of an account. */
export function InBrand({ brand, children }: { readonly brand: Brand; readonly children: ComponentChildren }) {
  return <BrandContext.Provider value={brand}>{children}</BrandContext.Provider>;
}

/** The look of the page. */
export function useBrand(): Brand {
  return useContext(BrandContext);
}

/** The logo and the name of the account whose page it is, or the mark of the product. */
export function BrandLine({ isEmbedded = false }: { readonly isEmbedded?: boolean | undefined }) {
  const { name, logo } = useBrand();
  const { brand } = useLocale().words;
  if (name === null && logo === null) {
    return isEmbedded ? null : (
      <p class="brand-line" role="img" aria-label="Hitherto">
        <Mark />
      </p>
    );
  }
  return (
    <p class="brand-line">
      {logo !== null && <img src={logoPath(logo)} alt={name === null ? brand.logo : ''} />}
      {name !== null && <bdi>{name}</bdi>}
    </p>
  );
}
