const GLIDE = 400; // ms for the way of a thumb that is not dragged

// Moves the thumb of a slider so slowly that the eye can follow. The value of the control changes at once.
function glide(slider, to) {
  slider.endGlide?.();
  const [from, begun] = [slider.valueAsNumber, performance.now()];
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  let frame = 0;
  slider.endGlide = () => {
    cancelAnimationFrame(frame);
    Object.assign(slider, { step: 1, value: to, endGlide: null });
  };
  const go = (now) => {
    const share = Math.min(Math.max((now - begun) / GLIDE, 0), 1);
    if (share === 1) slider.endGlide();
    else {
      slider.value = from + (to - from) * share * (2 - share);
      frame = requestAnimationFrame(go);
    }
  };
  if (from === to || calm || document.hidden) slider.endGlide();
  else {
    slider.step = "any";
    frame = requestAnimationFrame(go);
  }
}

