// The explorer page: three sliders move along computed values; uPlot draws them. Works from file://.
(() => {
  const data = window.explorerData;
  const root = document.querySelector(".explorer");
  const input = (name) => root.querySelector(`#explorer-${name}`);
  const sliders = { temperature: data.temperatures, negatives: data.negatives, dimension: data.dimensions };
  const symbols = { temperature: "τ", negatives: "k", dimension: "d" };
  const best = data.temperatures.indexOf(1 / data.concentration);

  const power = (exponent) => `10${[...String(exponent)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("")}`;
  const number = (value) => {
    const small = value !== 0 && Math.abs(value) < 1e-3;
    const [digits, exponent] = small ? value.toExponential(3).split("e") : [value.toPrecision(4)];
    return digits.replace("-", "−") + (small ? ` × ${power(Number(exponent))}` : "");
  };
  const whole = (value) => value.toLocaleString("en-GB");

  // What the sliders choose, and all that follows from it.
  const chosen = () => {
    const place = (name) => Number(input(name).value);
    const alpha = Number(root.querySelector("[name=explorer-alpha]:checked").value);
    const [t, k, d] = ["temperature", "negatives", "dimension"].map(place);
    const setting = data.settings[d][t];
    const [excess, most] = [setting.excess[alpha], setting.most[alpha]];
    return { t, k, d, alpha, ...setting, best: data.settings[d][best].target, excess, most };
  };

  const colour = (name) => () => getComputedStyle(root).getPropertyValue(name).trim();
  const ink = () => getComputedStyle(root).color;
  const axis = (more) => ({ stroke: ink, grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false }, font: "12px sans-serif", ...more });
  const across = (label, more) => axis({ size: 26, gap: 5, label, labelSize: 16, labelGap: 0, labelFont: "13px sans-serif", ...more });
  const line = (name, more) => ({ stroke: colour(name), width: 2, points: { show: false }, ...more });
  const counts = across("number of negatives k", { values: (_, splits) => splits.map((k) => (k && Math.log2(k) % 4 === 0 ? whole(k) : "")), grid: { show: false } });
  const isPower = (size) => size && Math.abs(Math.log10(size) - Math.round(Math.log10(size))) < 1e-9;
  const decades = axis({
    size: 52,
    values: (_, splits) => splits.map((size) => (isPower(size) ? power(Math.round(Math.log10(size))) : "")),
    grid: { stroke: colour("--grid"), width: 1, filter: (_, splits) => splits.map((size) => (isPower(size) ? size : null)) },
  });
  const byCount = { time: false, distr: 3, log: 2, range: () => [1, data.negatives.at(-1)] };

  let choice = chosen();
  const mark = (plot) => {
    const { ctx, bbox } = plot;
    const x = Math.round(plot.valToPos(data.negatives[choice.k], "x", true));
    ctx.save();
    ctx.strokeStyle = colour("--muted")();
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  };
  const spot = line("--statement", { points: { show: true, size: 10, fill: colour("--statement") }, paths: () => null });
  const only = (values) => values.map((value, place) => (place === choice.k ? value : null));

  const plots = {
    search: {
      options: {
        scales: { x: { time: false, range: () => [-1, 1] }, y: { range: (_, low, high) => [0, 1.05 * high] } },
        axes: [across("score s"), axis({ size: 44 })],
        series: [{}, line("--muted", { dash: [2, 4] }), line("--pairs", { dash: [8, 4] }), line("--statement")],
      },
      values: () => [data.scores, data.uniform[choice.d], data.pairs[choice.d], choice.search],
    },
    risk: {
      options: {
        scales: {
          x: byCount,
          y: {
            range: () => {
              const risks = [...choice.excess, 0].map((value) => value + choice.target);
              const [low, high] = [Math.min(...risks), Math.max(...risks)];
              return [low - 0.25 * (high - low), high + 0.25 * (high - low)];
            },
          },
        },
        axes: [counts, axis({ size: 52 })],
        series: [{}, line("--band", { width: 0 }), line("--band", { width: 0 }), line("--pairs", { dash: [8, 4] }), line("--statement"), spot],
        bands: [{ series: [1, 2], fill: colour("--band") }],
        hooks: { draw: [mark] },
      },
      values: () => {
        const [most, least, risk] = [choice.most, choice.least, choice.excess].map((list) => list.map((value) => value + choice.target));
        return [data.negatives, most, least, risk.map(() => choice.target), risk, only(risk)];
      },
    },
    error: {
      options: {
        scales: {
          x: byCount,
          y: {
            distr: 3,
            range: () => {
              const sizes = choice.excess.map(Math.abs);
              return [Math.min(...sizes) / 5, 3 * Math.max(...choice.least.map(Math.abs), ...choice.most)];
            },
          },
        },
        axes: [counts, decades],
        series: [{}, line("--muted", { dash: [6, 5] }), line("--muted", { dash: [6, 5] }), line("--statement"), spot],
        hooks: { draw: [mark] },
      },
      values: () => {
        const sizes = choice.excess.map(Math.abs);
        const upper = choice.least.map((least, place) => Math.max(-least, choice.most[place]));
        // For α = 1 the error may change its sign, and then no lower bound of its size exists.
        const lower = choice.most.map((most) => (choice.alpha ? null : -most));
        return [data.negatives, upper, lower, sizes, only(sizes)];
      },
    },
  };

  const summary = () => {
    const [temperature, k, excess] = [data.temperatures[choice.t], data.negatives[choice.k], choice.excess[choice.k]];
    const ideal = 1 / data.concentration;
    const loss = choice.target - choice.best;
    const found = temperature === ideal
      ? "The search is as sharp as the pairs, so CE is least."
      : `The search is ${temperature > ideal ? "broader" : "narrower"} than the pairs: CE is ${number(loss)} nats above its least value, at τ = ${ideal}.`;
    const next = choice.excess[choice.k + 1];
    const doubled = next === undefined ? "" : ` Twice the negatives would leave ${number(Math.abs(next))}.`;
    return `τ = ${temperature}, k = ${whole(k)}, d = ${data.dimensions[choice.d]}. ${found} The risk is ${number(Math.abs(excess))} nats ${excess < 0 ? "below" : "above"} CE, within its bounds ${number(choice.least[choice.k])} and ${number(choice.most[choice.k])}.${doubled}`;
  };

  let announcement;
  const show = () => {
    choice = chosen();
    for (const [name, values] of Object.entries(sliders)) {
      const text = whole(values[input(name).value]);
      root.querySelector(`output[for=explorer-${name}]`).textContent = text;
      input(name).setAttribute("aria-valuetext", `${symbols[name]} = ${text}`);
    }
    const at = (list) => list[choice.k];
    const values = { target: choice.target, best: choice.best, risk: choice.target + at(choice.excess), excess: at(choice.excess), least: at(choice.least), most: at(choice.most), square: choice.square };
    for (const [name, value] of Object.entries(values)) root.querySelector(`[data-value=${name}]`).textContent = number(value);
    for (const plot of Object.values(plots)) plot.chart.setData(plot.values());
    // Screen readers hear the summary once the slider rests.
    clearTimeout(announcement);
    announcement = setTimeout(() => (root.querySelector(".summary").textContent = summary()), 250);
  };

  for (const [name, plot] of Object.entries(plots)) {
    const box = root.querySelector(`[data-plot=${name}]`);
    const common = { width: box.clientWidth, height: box.clientHeight, legend: { show: false }, cursor: { show: false }, padding: [8, 24, 0, 0] };
    plot.chart = new uPlot({ ...common, ...plot.options }, plot.values(), box);
    new ResizeObserver(() => plot.chart.setSize({ width: box.clientWidth, height: box.clientHeight })).observe(box);
  }
  root.querySelector("form").addEventListener("input", show);
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  // The theme's button changes colours that the canvases have already used.
  const restyle = new MutationObserver(() => Object.values(plots).forEach((plot) => plot.chart.redraw()));
  restyle.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  show();
  root.querySelector(".summary").textContent = summary();
})();
