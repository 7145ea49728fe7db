// Before the browser prints, every picture is drawn for paper; afterwards it comes back to the screen.

const TITLE = 40; // px above a picture
const PAGE = 905; // px of a lesson that is 700 wide, on letter paper, which is shorter than A4
const SHARES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]; // shares of a plot's height to try, until the lesson fits

/** @param {Part<PaperData>} part */
export default function ({ parentElement, data: [data] }) {
  const place = parentElement.querySelector("[data-address]");
  place.inks = data.inks;
  if (place.leave) return place.leave;
  const { soon, say, rest } = endOnPaper(place, data.code);

  function print() {
    say();
    asOnPaper(() => {
      SHARES.some((share) => {
        tell({ on: true, share });
        return fits(place);
      });
      tell({ on: true, draw: true, inks: place.inks });
    });
  }

  function comeBack() {
    tell({ on: false, draw: true });
  }

  const heard = { popstate: soon, beforeprint: print, afterprint: comeBack };
  for (const [event, act] of Object.entries(heard)) window.addEventListener(event, act);
  lab.addressed = soon;
  place.leave = () => {
    if (place.isConnected) return;
    rest();
    for (const [event, act] of Object.entries(heard)) window.removeEventListener(event, act);
    if (lab.addressed === soon) delete lab.addressed;
  };
  return place.leave;
}

// A picture that would be cut goes to the next page with its title, and leaves its room empty.
function fits(place) {
  const { top } = document.querySelector(`${STREAMLIT.app} h1`).getBoundingClientRect();
  const end = top + PAGE;
  const boxes = [...document.querySelectorAll("[data-picture]")].map((each) => each.getBoundingClientRect());
  const cut = boxes.filter((box) => box.top < end && box.bottom > end).map((box) => end - box.top + TITLE);
  const pages = Number(getComputedStyle(place).getPropertyValue("--pages"));
  return place.getBoundingClientRect().bottom + Math.max(0, ...cut) <= top + pages * PAGE;
}
