// Open the folds around the target of a link, and every fold for printing.
(() => {
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let fold = target?.closest("details");
    for (; fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => document.querySelectorAll("details.fold").forEach((fold) => (fold.open = true)));
  if (location.hash) reveal();
})();
