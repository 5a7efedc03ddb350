// Small helps that the pages also do without.
(() => {
  // Open the folds around the target of a link, and every fold for printing.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folds = [];
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
    folds.forEach((fold) => (fold.open = true));
    if (folds.length) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => document.querySelectorAll("details.fold").forEach((fold) => (fold.open = true)));
  reveal();

  // Let the keyboard reach the formulas that scroll, and only those.
  const boxes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  document.querySelectorAll(".math.display > .scroll").forEach((box) => boxes.observe(box));

  // The theme's menus move their content when they close, and the focus is lost: give it back to the button.
  for (const side of ["primary", "secondary"]) {
    const button = document.querySelector(`button.${side}-toggle`);
    const menu = document.getElementById(`pst-${side}-sidebar-modal`);
    menu?.addEventListener("close", () => setTimeout(() => button?.focus()));
  }
})();
