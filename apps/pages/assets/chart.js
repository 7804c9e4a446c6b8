// A card at a point of the chart shows its row of the table. On touch, the first tap shows it and the second one leads.
const area = document.querySelector('.plot-area');
const moments = [...(area?.querySelectorAll('.moments > *') ?? [])];
const rows = document.querySelectorAll('.chart tbody > :not(.annotation)');
const card = document.createElement('div');
card.className = 'point-card';
let shown = -1;

function show(index) {
  shown = index;
  card.hidden = index < 0;
  if (card.hidden) return;
  const cells = [...rows[index].cells];
  for (let row = rows[index].nextSibling; row?.className; row = row.nextSibling) cells.push(row.cells[0]);
  card.replaceChildren(
    ...cells.map((cell) => {
      const line = document.createElement('p');
      line.innerHTML = cell.innerHTML;
      return line;
    }),
  );
  const [at, within] = [moments[index].querySelector('line'), area].map((part) => part.getBoundingClientRect());
  const left = at.x - within.x - card.offsetWidth / 2;
  card.style.left = `${Math.max(0, Math.min(left, within.width - card.offsetWidth))}px`;
}

if (area) {
  show(-1);
  area.append(card);
  area.classList.add('has-card');
  const of = ({ target }) => moments.indexOf(target.closest('.moments > *'));
  area.addEventListener('pointerover', (event) => event.pointerType !== 'touch' && show(of(event)));
  area.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && show(-1));
  area.addEventListener('click', (event) => {
    const index = of(event);
    if (event.pointerType !== 'touch' || index === shown) return;
    event.preventDefault();
    show(index);
  });
}

// Keys lead to periods, unless they are turned off.
const keys = document.querySelector('[data-keys]');
if (keys) {
  const box = keys.querySelector('input');
  box.checked = localStorage.keys !== 'off';
  box.addEventListener('change', () => {
    localStorage.keys = box.checked ? 'on' : 'off';
  });
  keys.hidden = false;
  document.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey, target }) => {
    if (!box.checked || ctrlKey || metaKey || altKey || target.closest('input:not([type=checkbox]), select, textarea'))
      return;
    const name = key.length === 1 ? key.toUpperCase() : key;
    document.querySelector(`[aria-keyshortcuts="${CSS.escape(name)}"]`)?.click();
  });
}
