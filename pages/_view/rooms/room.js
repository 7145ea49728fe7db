// The page asks now and then whether anything has changed, and changes what it says; what is typed meanwhile stays.
(() => {
  const EVERY = 1200; // ms between two questions, and as much again by chance, so that a class does not ask at once
  const main = document.querySelector("main");
  const away = document.querySelector("#away");
  async function look() {
    try {
      const answer = await fetch(`${main.dataset.news}?seen=${main.dataset.mark}`, { cache: "no-store", signal: AbortSignal.timeout(8000) });
      if (answer.status === 200) show(await answer.text());
      else if (answer.status !== 204) throw new Error(answer.statusText);
      away.hidden = true;
    } catch {
      away.hidden = false;
    }
    setTimeout(look, document.hidden ? 4 * EVERY : EVERY * (0.5 + Math.random()));
  }
  function show(text) {
    const next = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    const typed = new Map([...main.querySelectorAll("input:not([type=hidden])")].map((each) => [each.name + each.value, each]));
    const held = [...main.querySelectorAll("input:not([type=hidden]):not([type=radio])")].map((each) => [each.name, each.value]);
    const chosen = [...main.querySelectorAll("input:checked")].map((each) => each.name + each.value);
    const same = next.dataset.asked === main.dataset.asked;
    main.replaceChildren(...next.childNodes);
    Object.assign(main.dataset, next.dataset);
    if (!same || !typed.size) return;
    for (const [name, value] of held) for (const field of main.querySelectorAll(`input[name="${name}"]`)) field.value = value;
    for (const field of main.querySelectorAll("input[type=radio]")) field.checked ||= chosen.includes(field.name + field.value);
  }
  setTimeout(look, EVERY);
})();
