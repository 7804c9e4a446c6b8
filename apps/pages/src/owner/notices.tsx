/** Says what the owner has done. */
export function Done({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="notice good" role="status">
      {text}
    </p>
  );
}

/** Says why something was not done. */
export function Failed({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="fault" role="alert">
      {text}
    </p>
  );
}
