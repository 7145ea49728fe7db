"""Result in, picture out: what a lesson shows, without Streamlit and without arithmetic on the data."""
