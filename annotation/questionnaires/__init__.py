"""What people are asked, and what their answers mean: one ``Form`` per questionnaire, found by ``registry``."""
