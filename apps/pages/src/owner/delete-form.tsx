interface DeleteFormProps {
  readonly action: string;
  readonly address: string;
  readonly isWrong: boolean;
}

/** Deletes a website once its address has been typed. */
export function DeleteForm({ action, address, isWrong }: DeleteFormProps) {
  return (
    <form class="settings" method="post" action={action}>
      <p>
        This permanently deletes <strong>{address}</strong> and all of its statistics. No more visits are counted.
      </p>
      <div class="field">
        <label for="address">Type the address to confirm</label>
        <input
          id="address"
          name="address"
          type="text"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby={isWrong ? 'address-fault' : undefined}
          aria-invalid={isWrong ? 'true' : undefined}
        />
        {isWrong && (
          <p class="fault" id="address-fault" role="alert">
            This is not the address of the website. Nothing was deleted.
          </p>
        )}
      </div>
      <button class="danger" type="submit">
        Delete the website
      </button>
    </form>
  );
}
