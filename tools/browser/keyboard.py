"""The keyboard alone: every control is reached, the focus shows, nothing traps it, the menus open and close."""

from playwright.sync_api import Browser, Page, TimeoutError

from browser.opening import FLATTEN_FORMULAS, OPEN_FOLDS, opened

#: Stops that the Tab key must make, and a record of those that it makes.
FOLLOW_FOCUS = """() => {
  const still = document.createElement("style");
  still.textContent = "* { transition: none !important; scroll-behavior: auto !important; }";
  document.head.append(still);
  const controls = "a[href], button, input, select, textarea, summary, [tabindex]";
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && element.getClientRects().length && !element.closest("[inert], .katex-mathml");
  const look = (element) => {
    const style = getComputedStyle(element);
    const own = ["outlineStyle", "outlineWidth", "outlineColor", "boxShadow", "borderTopColor", "backgroundColor", "textDecorationLine"];
    return own.map((name) => style[name]).join();
  };
  const expected = [...document.querySelectorAll(controls)].filter((element) =>
    element.tabIndex >= 0 && !element.disabled && element.type !== "hidden" && shown(element)
    && !(element.type === "radio" && !element.checked)); // a group of radio buttons is one stop
  const calm = new Map(expected.map((element) => [element, look(element)]));
  const seen = (element) => [...element.getClientRects()].some((box) => {
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    if (left >= right || top >= bottom) return false;
    return [0.5, 0.1, 0.9].some((part) => {
      const hit = document.elementFromPoint(left + part * (right - left), top + part * (bottom - top));
      return hit && (element.contains(hit) || hit.contains(element));
    });
  });
  const name = (element) => element.outerHTML.slice(0, 90);
  const follow = { reached: new Set(), faults: new Set(), last: null };
  follow.note = () => {
    const element = document.activeElement;
    if (!element || element === document.body || follow.reached.has(element)) return;
    follow.reached.add(element);
    follow.last = name(element);
    if (calm.get(element) === look(element)) follow.faults.add(`the focus does not show on ${name(element)}`);
    if (!seen(element)) follow.faults.add(`the focus is out of sight on ${name(element)}`);
  };
  follow.left = () => expected.filter((element) => !follow.reached.has(element)).map(name);
  addEventListener("keydown", (event) => event.key === "Tab" && follow.note(), true);
  window.follow = follow;
  return expected.length;
}"""
#: Tabs between two looks, and looks in vain before the keyboard counts as trapped.
ROUND, PATIENCE = 20, 4
SKIP_LINK = """() => document.activeElement.closest("#pst-skip-link") !== null"""
IN_MAIN = """() => document.activeElement.closest("main") !== null"""
#: From this width on the theme shows both sidebars beside the text.
MENU_WIDTH = 992
#: Buttons that open a part of the page as a dialog on phones, and what they open.
MENUS = {"button.primary-toggle": "#pst-primary-sidebar-modal", "button.secondary-toggle": "#pst-secondary-sidebar-modal"}


def comes_true(page: Page, condition: str, argument: str | None = None, patience: int = 20_000) -> bool:
    """Whether `condition` holds before long; a busy machine may take its time."""
    try:
        page.wait_for_function(condition, arg=argument, timeout=patience)
    except TimeoutError:
        return False
    return True


def tab_through(page: Page) -> list[str]:
    """Press Tab until every control has had its turn, or until nothing new has for a while."""
    left, idle = page.evaluate(FOLLOW_FOCUS), 0
    while left and idle < PATIENCE:
        for _ in range(ROUND):
            page.keyboard.press("Tab")
        page.evaluate("follow.note()")
        before, left = left, page.evaluate("follow.left().length")
        idle = idle + 1 if left == before else 0
    found = page.evaluate("[...follow.faults].slice(0, 3)")
    if left:
        first, last = page.evaluate("[follow.left()[0], follow.last]")
        found.append(f"the keyboard does not reach {left} controls: {first}; it stops at {last}")
    return found


def skip_link(page: Page) -> list[str]:
    """The first stop leads past the navigation."""
    page.keyboard.press("Tab")
    if not page.evaluate(SKIP_LINK):
        return ["the first stop is no link that skips the navigation"]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    return [] if page.evaluate(IN_MAIN) else ["the skip link does not lead into the text"]


def menu(page: Page, button: str, dialog: str) -> list[str]:
    """Open a menu with Enter, go through it with Tab, close it with Escape."""
    if not page.evaluate("(button) => document.querySelector(button)?.checkVisibility() ?? false", button):
        return []
    page.evaluate("(button) => document.querySelector(button).focus()", button)
    page.keyboard.press("Enter")
    if not comes_true(page, "(dialog) => document.querySelector(dialog).open", dialog):
        return [f"Enter does not open {dialog}"]
    links = "[...document.querySelectorAll(dialog + ' a[href]')].filter((link) => link.checkVisibility())"
    count = page.evaluate(f"(dialog) => {links}.length", dialog)
    stop = f"(dialog) => {links}.indexOf(document.activeElement)"
    reached = {page.evaluate(stop, dialog)}
    for _ in range(count + 15):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(stop, dialog))
    found = [] if len(reached - {-1}) == count else [f"Tab reaches {len(reached - {-1})} of {count} links in {dialog}"]
    page.evaluate("(dialog) => document.querySelector(dialog + ' a[href]').focus()", dialog)  # not the browser's own bar
    page.keyboard.press("Escape")
    if not comes_true(page, "(dialog) => !document.querySelector(dialog).open", dialog):
        return [*found, f"Escape does not close {dialog}"]
    if not comes_true(page, "(button) => document.activeElement === document.querySelector(button)", button):
        found.append(f"closing {dialog} loses the focus")
    return found


def scroll_boxes(page: Page) -> list[str]:
    """Boxes that scroll sideways must take the focus, and the arrow key must move them."""
    boxes = """[...document.querySelectorAll("main *")].filter((box) => box.scrollWidth > box.clientWidth + 1
      && box.checkVisibility() && ["auto", "scroll"].includes(getComputedStyle(box).overflowX))"""
    deaf = page.evaluate(f"{boxes}.filter((box) => box.tabIndex < 0).map((box) => box.outerHTML.slice(0, 90))")
    found = [f"{len(deaf)} scroll boxes cannot have the focus: {deaf[0]}"] if deaf else []
    if page.evaluate(f"window.box = {boxes}.find((box) => box.tabIndex >= 0), Boolean(box)"):
        page.evaluate("box.focus()")
        for _ in range(3):  # a key pressed while the page still scrolls on its own is lost
            page.keyboard.press("ArrowRight")
            if comes_true(page, "() => box.scrollLeft > 0", patience=3000):
                return found
        found.append("the arrow key does not move a scroll box")
    return found


def use_keyboard(browser: Browser, address: str, width: int) -> list[str]:
    """All complaints of a reader without a mouse."""
    with opened(browser, address, width) as visit:
        page = visit.page
        found = skip_link(page)
        if width < MENU_WIDTH:
            for button, dialog in MENUS.items():
                found += menu(page, button, dialog)
        page.evaluate(OPEN_FOLDS)
        page.wait_for_timeout(100)
        page.evaluate("document.fonts.ready.then(() => true)")  # fonts of formulas that were folded decide what scrolls
        found += scroll_boxes(page)
        page.evaluate(FLATTEN_FORMULAS, ".display, [tabindex]")  # a box that no longer scrolls would be no stop
        page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
        found += tab_through(page)
        return [f"keyboard: {text}" for text in found]
