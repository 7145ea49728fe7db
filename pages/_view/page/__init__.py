"""The front end with sessions, on Streamlit: it draws the stage of each lesson, and the parts below it."""
