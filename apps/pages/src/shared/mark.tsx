/** The mark of the product: blue is history, and orange is now. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#2b50e0" />
      <path d="M7 23v-6h4v6zm7 0V9h4v14z" fill="#fff" />
      <path d="M21 23v-9h4v9z" fill="#ff7a4f" />
    </svg>
  );
}
