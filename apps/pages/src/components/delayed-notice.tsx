/** Hits wait to be counted (statistics.md, section 6). */
export function DelayedNotice({ since }: { readonly since: Date }) {
  return (
    <p class="notice" role="status">
      <strong>The numbers are delayed.</strong> Visits since{' '}
      <time dateTime={since.toISOString()}>{since.toISOString().slice(11, 16)} UTC</time> are still being counted.
    </p>
  );
}
