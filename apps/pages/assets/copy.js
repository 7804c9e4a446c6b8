// Shows the copy buttons, which need scripts and a secure context, and lets them copy the text that they name.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = document.getElementById(button.dataset.copy).textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = button.dataset.copied;
      } catch {
        button.textContent = button.dataset.failed;
      }
    });
  }
}
