// A mark of a time axis and its row show each other, and what happened stands below the axis.
for (const axis of document.querySelectorAll(".axis")) {
  const now = axis.querySelector(".now");
  const hint = now.textContent;
  const show = (number) => {
    for (const each of axis.querySelectorAll("[data-row]")) {
      each.classList.toggle("lit", each.dataset.row === number);
    }
    const row = number && axis.querySelector(`tr[data-row="${number}"]`);
    now.textContent = row
      ? Array.from(row.cells, (cell) => cell.textContent).join(" · ").replace(" · ", ": ")
      : hint;
  };
  const numberAt = (event) => event.target.closest("[data-row]")?.dataset.row;
  axis.addEventListener("pointerover", (event) => show(numberAt(event)));
  axis.addEventListener("click", (event) => show(numberAt(event)));
  axis.addEventListener("pointerleave", () => show());
}
