// The text that a copy button stands for: its block, the message, or the command.
function copied(button) {
  const block = button.closest('.block');
  const parts = block ? block.querySelectorAll('pre')
    : button.parentElement.querySelectorAll('.md, code.what');
  return Array.from(parts, part => block ? part.textContent : part.innerText)
    .map(part => part.replace(/\n$/, '')).join('\n');
}
async function copy(button) {
  const text = copied(button);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 1200);
}
addEventListener('click', event => {
  const button = event.target.closest && event.target.closest('.copy');
  if (button) copy(button);
  const image = event.target.closest && event.target.closest('.zoom');
  if (image) image.classList.toggle('all');
});
// Long prompts show their beginning until they are opened.
for (const clip of list('.clip')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Show all';
  button.className = 'unclip';
  button.addEventListener('click', () => {
    button.textContent = clip.classList.toggle('all') ? 'Show less' : 'Show all';
  });
  clip.after(button);
}
// All edits of a file together: copies of the diffs, made when the file is opened.
for (const file of list('details.file')) {
  file.addEventListener('toggle', () => {
    if (!file.open || file.querySelector('.diff')) return;
    for (const diff of list('.diff[data-file="' + file.dataset.file + '"]')) {
      const article = diff.closest('article');
      if (!article) continue;
      const made = diff.cloneNode(true);
      const link = document.createElement('a');
      link.href = '#' + article.id;
      link.className = 'n';
      const time = article.querySelector('time');
      link.textContent = '#' + article.id.slice(1) + (time ? ' ' + time.textContent : '');
      made.querySelector('.cap span').prepend(link, ' ');
      file.append(made);
    }
  });
}
