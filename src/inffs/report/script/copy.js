for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = by(button.dataset.copy).textContent, said = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(by(button.dataset.copy));
      button.textContent = "Selected: press Ctrl+C";
    }
    announce(button.textContent);
    setTimeout(() => { button.textContent = said; }, 2000);
  });
}
